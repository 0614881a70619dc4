#ifndef STEPSIM_SCENARIOS_ANSWER_WHAT_IF_ANSWER_H
#define STEPSIM_SCENARIOS_ANSWER_WHAT_IF_ANSWER_H

#include <string>
#include <vector>

#include "model/calibration/calibration.h"
#include "scenarios/answer/baseline.h"
#include "scenarios/answer/interval.h"
#include "scenarios/answer/predict.h"
#include "scenarios/change/selection.h"
#include "scenarios/question/scenario.h"
#include "sim/analysis/critical_path.h"
#include "sim/analysis/link_use.h"
#include "sim/analysis/summary.h"
#include "sim/analysis/throughput.h"

namespace stepsim::scenarios {

/// A prediction and what its replay shows.
struct PredictionView {
  Prediction prediction;
  sim::Summary summary;
  sim::RankBreakdown slowest;  ///< of the rank with the longest iteration; of several the first
  sim::IterationPath path;
  std::vector<sim::LinkUse> links;
  sim::StepWork work;     ///< of a step
  double iterations = 1;  ///< how many the replay holds, warm-up included
};

/// One link in both replays. Queueing is that of one iteration in tables, of the whole replay here.
struct LinkPair {
  std::string name;
  sim::LinkUse baseline;
  sim::LinkUse scenario;
};

/// A scenario beside the job as it was captured, both predicted in the same way.
struct WhatIfAnswer {
  std::string name;  ///< of the scenario; may be empty
  Baseline captured;
  PredictionView baseline;  ///< of the job as captured
  PredictionView scenario;
  AnswerInterval interval;           ///< of the scenario
  Cluster cluster;                   ///< of the scenario
  std::vector<LinkPair> links;       ///< the busier of the two replays first; none that is idle in both
  std::vector<std::string> changes;  ///< as they could be typed after --set
  /// What the changes apply to, by change: absent for those that take no selection.
  std::vector<std::optional<Selection>> selections;
  Assumptions assumptions;  ///< all that the answer rests on
  const Capture* capture = nullptr;
  const NetworkModel* network = nullptr;
  const Calibration* calibration = nullptr;  ///< of the cluster, where it was calibrated
};

/// Predicts the job as captured and under `scenario`. `calibration` may be null. The answer refers to
/// it and to the predictor's capture. Throws what Change::apply() and Predictor::predict() throw.
[[nodiscard]] WhatIfAnswer answer_of(Predictor& predictor, const Scenario& scenario, const Calibration* calibration,
                                     ReplayMeter& meter);

}  // namespace stepsim::scenarios

#endif
