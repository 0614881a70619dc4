#ifndef STEPSIM_SCENARIOS_ANSWER_INTERVAL_H
#define STEPSIM_SCENARIOS_ANSWER_INTERVAL_H

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/answer/predict.h"

namespace stepsim::scenarios {

class IntervalBasis;

/// One reason why an answer is a range, and the range that it alone would give.
struct IntervalSource {
  std::string_view name;  ///< of its line in interval_sources.h: "steps", "sharing"
  std::string reason;     ///< a sentence without its full stop
  Duration low{};         ///< low <= the prediction <= high
  Duration high{};
  bool of_capture = false;  ///< it is about the captured steps, whatever the plan: a comparison with them knows better
  bool of_step_times = false;  ///< found from the times of the captured steps: such sources are not independent
};

/// The source that says what the profiler may have cost.
constexpr std::string_view kProfilerSource = "profiler";

/// The range of an iteration's time, and why it is a range.
struct AnswerInterval {
  Duration low{};
  Duration high{};
  std::vector<IntervalSource> sources;  ///< those that apply; a source without effect has no width
};

/// How far to trust predictions of one capture. Each source of scenarios/answer/interval_sources.h is computed by
/// itself. Sources are independent, and together as wide as independent() says (scenarios/answer/factors.h); of those
/// that were found from the times of the same steps the widest counts. The range also holds typical captured steps,
/// scaled as the answer is: model and steps on top of each other (docs/fidelity.md, "Intervals").
class IntervalFinder {
 public:
  /// `baseline` is what `predictor` made of its plan(). All must outlive the finder.
  IntervalFinder(Predictor& predictor, const Prediction& baseline, ReplayMeter& meter);
  IntervalFinder(const IntervalFinder&) = delete;
  IntervalFinder& operator=(const IntervalFinder&) = delete;
  ~IntervalFinder();

  /// The range of `scenario`, which the predictor made of `plan`. Replays the plan once for each variant of a source
  /// that applies (up to eight for sharing, at most two for others), and the capture for each sharing, drift and the
  /// profiler, once for all answers. Safe to use from several threads. Throws what predict() throws.
  [[nodiscard]] AnswerInterval of(const Plan& plan, const Prediction& scenario) const;

 private:
  std::unique_ptr<const IntervalBasis> basis_;
};

/// The range of one answer. Takes the replays of a finder.
[[nodiscard]] AnswerInterval interval_of(Predictor& predictor, const Plan& plan, const Prediction& baseline,
                                         const Prediction& scenario, ReplayMeter& meter);

}  // namespace stepsim::scenarios

#endif
