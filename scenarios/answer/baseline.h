#ifndef STEPSIM_SCENARIOS_ANSWER_BASELINE_H
#define STEPSIM_SCENARIOS_ANSWER_BASELINE_H

#include <optional>
#include <string>

#include "model/base/assumption.h"
#include "model/base/units.h"
#include "scenarios/answer/predict.h"
#include "sim/report/field.h"

namespace stepsim::scenarios {

/// The prediction of the captured job without changes, and the measured time of the job. Every answer is compared with
/// this prediction, and every command that predicts reports both.
struct Baseline {
  Duration iteration{};              ///< predicted duration, as the job runs
  Duration of_captured_steps{};      ///< the same of the captured steps alone
  Duration as_captured{};            ///< `of_captured_steps` with what recording adds, for comparison with `measured`
  std::optional<Duration> measured;  ///< measured duration; if `unprofiled`, job.yaml's measured_step
  bool unprofiled = false;           ///< true if job.yaml's measured_step gives the profiler's cost
  /// Returns the error of `as_captured` relative to `measured`, or nothing without a measurement.
  [[nodiscard]] std::optional<double> error() const noexcept;
  friend bool operator==(const Baseline&, const Baseline&) = default;
};

inline constexpr auto kBaseline = std::to_array<sim::Field<Baseline>>({
    {"iteration_ns", sim::at<&Baseline::iteration>},
    {"as_captured_ns", sim::at<&Baseline::as_captured>},
    {"measured_ns", sim::at<&Baseline::measured>},
    {"error", sim::at<&Baseline::error>},
});

/// Returns the baseline of a capture. `captured` is the prediction of predictor.plan(). O(tasks log tasks).
[[nodiscard]] Baseline baseline_of(const Predictor& predictor, const Prediction& captured);

/// Returns a predicted step time with its range, "251.4 ms (243.5 to 259.4 ms)"; without a range, "251.4 ms".
[[nodiscard]] std::string with_range(Duration time, Duration low, Duration high);

/// Returns a step time compared with the baseline's: "52.7 % less than the baseline's 532.1 ms", or "66x the baseline's
/// 20 ms" if it is more than 1,000 % longer.
[[nodiscard]] std::string against_baseline(Duration time, Duration baseline);

/// Returns "; 1.2 s by the data sheet alone" if there is such a time, else nothing.
[[nodiscard]] std::string data_sheet_text(const std::optional<Duration>& by_data_sheet);

/// Returns a sentence that states how well the captured step is predicted. A replay of recorded times has no error,
/// even if the graph is wrong; the sentence then names the command that tests the graph. If --cluster replaced the
/// links (sim::kClusterFile in `assumptions`), the difference from the measured time is not an error of the model. The
/// function then returns the sentence of that assumption.
[[nodiscard]] std::string trust_text(const Baseline& baseline, const Assumptions& assumptions);

/// Returns "88 % of the device time was recorded without shapes ..." if a better capture or a setting would make the
/// range narrower; otherwise empty.
[[nodiscard]] std::string narrowing_text(const Prediction& prediction);

/// Returns "kernel times during communication did not converge in 20 replays ...". `unsettled` is Prediction::unsettled
/// and must be above 0.
[[nodiscard]] std::string unsettled_text(double unsettled);

/// Returns the texts of narrowing_text() and unsettled_text() that apply, joined by "; ". A sweep shows this note for a
/// point, because it does not show the whole answer.
[[nodiscard]] std::string note_on(const Prediction& prediction);

}  // namespace stepsim::scenarios

#endif
