#ifndef STEPSIM_SCENARIOS_ANSWER_INTERVAL_SOURCES_H
#define STEPSIM_SCENARIOS_ANSWER_INTERVAL_SOURCES_H

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/answer/interval_basis.h"

/// The sources of uncertainty of answers. interval_sources.cpp lists one rule for each source;
/// docs/internals/answers.md, "Ranges", describes the sources in the same order.
namespace stepsim::scenarios {

/// A plan, and the data that all answers about the capture share.
struct PlanCase {
  const IntervalBasis& basis;
  const Plan& plan;

  [[nodiscard]] const Capture& captured() const noexcept { return *plan.captured; }
  [[nodiscard]] const Prediction& baseline() const noexcept { return basis.baseline(); }
  [[nodiscard]] const sim::Summary& summary() const noexcept { return basis.summary(); }

  [[nodiscard]] bool settings_changed() const { return plan.graph_key() != basis.key(); }
  [[nodiscard]] bool links_apply() const { return plan.network->make != nullptr; }
  [[nodiscard]] bool links_are_shared() const {
    return links_apply() && !plan.recorded_collectives && !plan.network->independent;
  }
};

/// The answer whose range is computed: the prediction for a plan.
struct IntervalCase : PlanCase {
  const Prediction& scenario;

  [[nodiscard]] Duration predicted() const noexcept { return scenario.iteration; }
  /// True if the plan changes the captured job: its settings, or the time of any task. O(tasks).
  [[nodiscard]] bool changes_anything() const;
};

/// Another possible answer. Either it is a known factor of the prediction, or a replay of the plan with `sides` finds
/// its iteration. If the sides are about the captured job, too, they have a name, and the captured job is replayed with
/// them once for all answers: the change is then that between the two replays.
struct IntervalVariant {
  std::optional<double> factor{};
  std::optional<Sides> sides{};
  std::string name{};
  bool tested = false;  ///< true if it is ignored where the capture contradicts its sides
  bool replayed = false;
  std::optional<Duration> iteration{};  ///< of the replay; nothing if the capture contradicts the sides
  std::optional<Duration> captured{};   ///< of that of the captured job; nothing without a name
};

/// The rule for one source of uncertainty. The source counts for an answer if `applies` returns true and the capture
/// does not contradict all of its variants. If the prediction decides neither, the rule has the functions of a plan
/// instead, and its replays do not have to wait for the prediction.
struct SourceRule {
  std::string_view name{};
  bool (*applies)(const IntervalCase& of) = nullptr;
  std::vector<IntervalVariant> (*variants)(const IntervalCase& of) = nullptr;
  bool (*applies_to_plan)(const PlanCase& of) = nullptr;
  std::vector<IntervalVariant> (*variants_of_plan)(const PlanCase& of) = nullptr;
  std::string_view reason{};  ///< a sentence without the period; used if `reason_of` is null
  std::string (*reason_of)(const IntervalCase& of) = nullptr;  ///< returns the sentence for one answer
  bool of_capture = false;     ///< true if the source has no part in RangeSource::change
  bool of_difference = false;  ///< true if only the part of share_of_change() has one, unless settings change
  bool of_step_times = false;  ///< has the meaning of RangeSource::of_step_times
};

/// Returns the rules of all sources, in the order in which reports list the sources.
[[nodiscard]] std::span<const SourceRule> interval_sources() noexcept;

}  // namespace stepsim::scenarios

#endif
