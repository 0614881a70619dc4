#ifndef STEPSIM_SCENARIOS_ANSWER_INTERVAL_H
#define STEPSIM_SCENARIOS_ANSWER_INTERVAL_H

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/answer/predict.h"

namespace stepsim::scenarios {

class IntervalBasis;

/// A reason why an answer is a range, and the range that it alone would give.
struct IntervalSource {
  std::string_view name;  ///< name of the source in interval_sources.cpp: "steps", "sharing"
  std::string reason;     ///< reason as a sentence without the period
  Duration low{};         ///< low <= the prediction <= high
  Duration high{};
  bool of_capture = false;     ///< true if the uncertainty is about the captured steps, whatever the plan; a comparison
                               ///< with these steps can then be more precise
  bool of_step_times = false;  ///< true if found from the times of the captured steps; such sources are not independent
};

/// Returns the name of a source for people: "typical model error" for "usual error".
[[nodiscard]] std::string title_of(const IntervalSource& source);

/// The source for the possible cost of the profiler.
constexpr std::string_view kProfilerSource = "profiler";
/// The source for the usual error of the models.
constexpr std::string_view kUsualErrorSource = "usual error";

/// The range of an iteration's time, and the reasons for it.
struct AnswerInterval {
  Duration low{};
  Duration high{};
  std::vector<IntervalSource> sources;  ///< the sources that apply; a source without effect has width 0
};

/// Computes the ranges of predictions for one capture. Each source of scenarios/answer/interval_sources.h is computed
/// separately. Independent sources are combined with independent() (scenarios/answer/factors.h). Of the sources found
/// from the times of the same steps, the widest range counts. The range also includes typical captured steps, scaled
/// like the answer: the product of the ranges of model and steps (docs/internals/answers.md, "Ranges").
class IntervalFinder {
 public:
  /// `baseline` is the result of `predictor` for its plan(). All arguments must outlive this object.
  IntervalFinder(Predictor& predictor, const Prediction& baseline, ReplayMeter& meter);
  IntervalFinder(const IntervalFinder&) = delete;
  IntervalFinder& operator=(const IntervalFinder&) = delete;
  ~IntervalFinder();

  /// Returns the range of `scenario`, the prediction for `plan`. Replays the plan once for each variant of a source
  /// that applies (up to eight for sharing, at most two for others). Replays the capture for each sharing, for drift
  /// and for the profiler, once for all answers. Thread-safe. Throws what predict() throws.
  [[nodiscard]] AnswerInterval of(const Plan& plan, const Prediction& scenario) const;

 private:
  std::unique_ptr<const IntervalBasis> basis_;
};

/// Returns the range of one answer. Replays as often as IntervalFinder::of() does.
[[nodiscard]] AnswerInterval interval_of(Predictor& predictor, const Plan& plan, const Prediction& baseline,
                                         const Prediction& scenario, ReplayMeter& meter);

}  // namespace stepsim::scenarios

#endif
