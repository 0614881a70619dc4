#ifndef STEPSIM_SCENARIOS_CHANGE_ON_MACHINE_H
#define STEPSIM_SCENARIOS_CHANGE_ON_MACHINE_H

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/assumption.h"
#include "model/base/units.h"
#include "model/job/cluster.h"
#include "model/job/recording.h"
#include "scenarios/change/plan.h"

/// What Plan::machine, a machine of which steps were measured, corrects in a prediction: only what is modelled of it.
/// Recorded times of a device keep their values, and so do links whose rates a capture shows.
namespace stepsim::scenarios {

/// Returns the name of the accelerator that the plan's job runs on, or an empty text if it is not known.
[[nodiscard]] std::string name_of_device(const Plan& plan);

/// True if the plan's job runs on an accelerator like that of its machine. False if the plan has no machine.
[[nodiscard]] bool is_on_machine(const Plan& plan);

/// Returns the plan without its machine: its prediction is that of data sheets and models alone.
[[nodiscard]] Plan without_machine(Plan plan);

/// Multiplies modelled times by the machine's factors. `durations` are indexed by TaskId of `graph`. Kernels are
/// modelled in a step that `stepsim model` wrote and on another device than the captured one; the CPU's work only in
/// the former. O(tasks).
void correct_durations(const Plan& plan, const Capture& graph, std::vector<Duration>& durations);

/// Returns the plan's cluster with the rates of links on its machine. They are the plan's own if the captured job uses
/// links, because its capture then shows their rates. Valid as long as the plan. O(links), O(1) if nothing is
/// corrected.
[[nodiscard]] std::shared_ptr<const Cluster> cluster_on_machine(const Plan& plan);

/// Id of the assumption about what measured steps corrected.
inline constexpr std::string_view kMeasuredMachine = "measured_machine";

/// Returns the assumption that says what the machine's factors are made from, or that they do not apply. Nothing if the
/// plan has no machine.
[[nodiscard]] std::optional<Assumption> machine_assumption(const Plan& plan);

}  // namespace stepsim::scenarios

#endif
