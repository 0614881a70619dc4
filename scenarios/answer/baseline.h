#ifndef STEPSIM_SCENARIOS_ANSWER_BASELINE_H
#define STEPSIM_SCENARIOS_ANSWER_BASELINE_H

#include <optional>
#include <string>

#include "model/base/assumption.h"
#include "model/base/units.h"
#include "scenarios/answer/predict.h"
#include "sim/report/field.h"

namespace stepsim::scenarios {

/// The job as it was captured: what every answer is compared with, and how well it is predicted. Every command that
/// predicts shows this one.
struct Baseline {
  Duration iteration{};              ///< predicted
  Duration of_captured_steps{};      ///< predicted for the captured steps alone, which `measured` is of
  std::optional<Duration> measured;  ///< job.yaml's measured_step where `unprofiled`
  bool unprofiled = false;           ///< the profiler's time was taken out
  /// Of `of_captured_steps`, relative to `measured`; nothing where nothing was measured.
  [[nodiscard]] std::optional<double> error() const noexcept;
  friend bool operator==(const Baseline&, const Baseline&) = default;
};

inline constexpr auto kBaseline = std::to_array<sim::Field<Baseline>>({
    {"iteration_ns", sim::at<&Baseline::iteration>},
    {"measured_ns", sim::at<&Baseline::measured>},
    {"error", sim::at<&Baseline::error>},
});

/// `captured` is what `predictor` made of its plan(). O(tasks log tasks).
[[nodiscard]] Baseline baseline_of(const Predictor& predictor, const Prediction& captured);

/// How well what was measured is predicted, as a part of a first line. A replay of recorded times reproduces them
/// whether or not the graph is right: then there is no error to state, and the sentence names the command that tests
/// the graph. `assumptions` of the answer tell whether collectives keep recorded times, and what a given cluster does
/// (sim::kClusterFile): then the difference from what was measured is no error, and the sentence is that assumption.
[[nodiscard]] std::string trust_text(const Baseline& baseline, const Assumptions& assumptions);

/// "88 % of the device time has no shapes ...", where a better capture or a setting would make the range narrower;
/// empty where nothing would.
[[nodiscard]] std::string narrowing_text(const Prediction& prediction);

/// "the times of kernels beside communication did not settle in 20 replays ...". Precondition: unsettled > 0, see
/// Prediction.
[[nodiscard]] std::string unsettled_text(double unsettled);

/// Both, as far as they apply to an answer of which nothing else is shown: a point of a sweep.
[[nodiscard]] std::string note_on(const Prediction& prediction);

}  // namespace stepsim::scenarios

#endif
