#ifndef STEPSIM_SCENARIOS_ANSWER_INTERVAL_H
#define STEPSIM_SCENARIOS_ANSWER_INTERVAL_H

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/answer/predict.h"

namespace stepsim::scenarios {

class IntervalBasis;

/// A source of uncertainty of an answer, and the range that it alone would give.
struct IntervalSource {
  std::string_view name;  ///< name of the source in interval_sources.cpp: "steps", "sharing"
  std::string reason;     ///< reason as a sentence without the period
  Duration low{};         ///< low <= the prediction <= high
  Duration high{};
  /// True if the uncertainty is about the captured steps, whatever the plan. A comparison of the answer with these
  /// steps can then be more precise than the answer.
  bool of_capture = false;
  bool of_step_times = false;  ///< true if found from the times of the captured steps; such sources are not independent
  Duration captured{};         ///< of "profiler": the captured iteration if the answer is `low`
};

/// Returns the name of a source in the text report: "typical model error" for "usual error".
[[nodiscard]] std::string title_of(const IntervalSource& source);

/// The name of the source for the possible cost of the profiler.
constexpr std::string_view kProfilerSource = "profiler";
/// The name of the source for the usual error of the models.
constexpr std::string_view kUsualErrorSource = "usual error";

/// The range of a predicted iteration, and the sources of uncertainty that cause it.
struct AnswerInterval {
  Duration low{};
  Duration high{};
  std::vector<IntervalSource> sources;  ///< the sources that apply; a source without effect has width 0
};

struct RangedPrediction {
  Prediction prediction;
  AnswerInterval interval;
};

/// Computes the ranges of predictions for one capture. The range of each source of uncertainty
/// (scenarios/answer/interval_sources.h) is computed separately. Independent sources are combined with independent()
/// (scenarios/answer/factors.h). Sources found from the times of the captured steps count as one source with the union
/// of their ranges. The result also includes typical captured steps, scaled like the answer: the product of the ranges
/// of the sources "model" and "steps" (docs/internals/answers.md, "Ranges").
class IntervalFinder {
 public:
  /// `baseline` is the prediction of predictor.plan(). All arguments must outlive this object.
  IntervalFinder(Predictor& predictor, const Prediction& baseline, ReplayMeter& meter);
  IntervalFinder(const IntervalFinder&) = delete;
  IntervalFinder& operator=(const IntervalFinder&) = delete;
  ~IntervalFinder();

  /// Predicts `plan` and computes the range. Some sources of uncertainty need further replays of the plan: up to eight
  /// for "sharing", at most two for each other source. The sources "sharing", "drift" and "profiler" also replay the
  /// capture, but only once for all answers. Replays that need only the plan are made beside the prediction.
  /// Thread-safe. Throws what Predictor::predict() throws.
  [[nodiscard]] RangedPrediction predict(const Plan& plan) const;
  /// As predict(), with the prediction for `plan` given.
  [[nodiscard]] AnswerInterval of(const Plan& plan, const Prediction& scenario) const;

 private:
  std::unique_ptr<const IntervalBasis> basis_;
};

/// Returns the range of `scenario`, the prediction for `plan`. Use it if only one range is needed; it makes as many
/// replays as IntervalFinder::of().
[[nodiscard]] AnswerInterval interval_of(Predictor& predictor, const Plan& plan, const Prediction& baseline,
                                         const Prediction& scenario, ReplayMeter& meter);

}  // namespace stepsim::scenarios

#endif
