#ifndef STEPSIM_SCENARIOS_ANSWER_INTERVAL_H
#define STEPSIM_SCENARIOS_ANSWER_INTERVAL_H

#include <memory>
#include <string>
#include <string_view>

#include "scenarios/answer/factors.h"
#include "scenarios/answer/predict.h"
#include "scenarios/answer/range.h"

namespace stepsim::scenarios {

class IntervalBasis;

/// Returns the name of a source in the text report: "typical model error" for "usual error".
[[nodiscard]] std::string title_of(std::string_view source);

/// The name of the source for the possible cost of the profiler.
constexpr std::string_view kProfilerSource = "profiler";
/// The name of the source for the usual error of the models.
constexpr std::string_view kUsualErrorSource = "usual error";

/// Returns the range that the sources of a predicted step give together, as factors of it, before it is widened
/// (Range::factor). O(sources).
[[nodiscard]] Factors by_sources(const Range<Duration>& step);

struct RangedPrediction {
  Prediction prediction;
  Range<Duration> range;  ///< of the iteration
};

/// Computes the ranges of predictions for one capture. The range of each source of uncertainty
/// (scenarios/answer/interval_sources.h) is computed separately. Independent sources are combined with independent()
/// (scenarios/answer/factors.h). Sources found from the times of the captured steps count as one source with the union
/// of their ranges. The result is widened or narrowed by what measured answers of its kind were found to need
/// (AnswerEvidence::factor), and includes typical captured steps, scaled like the answer: the product of the ranges of
/// the sources "model" and "steps" (docs/internals/answers.md, "Ranges").
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
  [[nodiscard]] Range<Duration> of(const Plan& plan, const Prediction& scenario) const;

 private:
  std::unique_ptr<const IntervalBasis> basis_;
};

/// Returns the range of `scenario`, the prediction for `plan`. Use it if only one range is needed; it makes as many
/// replays as IntervalFinder::of().
[[nodiscard]] Range<Duration> interval_of(Predictor& predictor, const Plan& plan, const Prediction& baseline,
                                          const Prediction& scenario, ReplayMeter& meter);

}  // namespace stepsim::scenarios

#endif
