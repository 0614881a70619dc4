#ifndef STEPSIM_SCENARIOS_ANSWER_INTERVAL_SOURCES_H
#define STEPSIM_SCENARIOS_ANSWER_INTERVAL_SOURCES_H

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/answer/interval_basis.h"

/// Why an answer is a range: one line for each source of doubt, in interval_sources.cpp. docs/fidelity.md,
/// "Intervals", has the same lines in the same order.
namespace stepsim::scenarios {

/// An answer and what it is an answer about.
struct IntervalCase {
  const IntervalBasis& basis;
  const Plan& plan;
  const Prediction& scenario;  ///< what the predictor made of `plan`

  [[nodiscard]] Duration predicted() const noexcept { return scenario.iteration; }
  [[nodiscard]] const Capture& captured() const noexcept { return *plan.captured; }
  [[nodiscard]] const Prediction& baseline() const noexcept { return basis.baseline(); }
  [[nodiscard]] const sim::Summary& summary() const noexcept { return basis.summary(); }

  [[nodiscard]] bool settings_changed() const { return plan.graph_key() != basis.key(); }
  [[nodiscard]] bool changes_anything() const;
  [[nodiscard]] bool links_apply() const { return plan.network->make != nullptr; }
  [[nodiscard]] bool links_are_shared() const {
    return links_apply() && !plan.recorded_collectives && !plan.network->independent;
  }
};

/// Something else that the answer may be, as a factor of the prediction: known at once, or found by a replay of the
/// plan with a change. A change with a name is replayed on the capture too, and is left out if the capture contradicts
/// it.
struct IntervalVariant {
  std::optional<double> factor{};
  std::function<void(Plan& plan)> change{};
  std::string name{};
};

/// One source of doubt. It applies to an answer if `applies`, and if the capture does not contradict all its variants.
struct SourceRule {
  std::string_view name{};
  bool (*applies)(const IntervalCase& of) = nullptr;
  std::vector<IntervalVariant> (*variants)(const IntervalCase& of) = nullptr;
  std::string_view reason{};                                   ///< a sentence without its full stop,
  std::string (*reason_of)(const IntervalCase& of) = nullptr;  ///< or one that depends on the answer
  bool of_capture = false;                                     ///< IntervalSource::of_capture
  bool of_step_times = false;                                  ///< IntervalSource::of_step_times
};

/// All of them, in the order in which they are shown.
[[nodiscard]] std::span<const SourceRule> interval_sources() noexcept;

}  // namespace stepsim::scenarios

#endif
