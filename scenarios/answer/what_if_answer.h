#ifndef STEPSIM_SCENARIOS_ANSWER_WHAT_IF_ANSWER_H
#define STEPSIM_SCENARIOS_ANSWER_WHAT_IF_ANSWER_H

#include <string>
#include <vector>

#include "model/calibration/calibration.h"
#include "scenarios/answer/baseline.h"
#include "scenarios/answer/effect.h"
#include "scenarios/answer/interval.h"
#include "scenarios/answer/memory_need.h"
#include "scenarios/answer/predict.h"
#include "scenarios/change/selection.h"
#include "scenarios/question/scenario.h"
#include "sim/analysis/activity.h"
#include "sim/analysis/critical_path.h"
#include "sim/analysis/summary.h"
#include "sim/analysis/throughput.h"

namespace stepsim::scenarios {

/// A prediction and the analysis of its replay.
struct PredictionView {
  Prediction prediction;
  sim::Summary summary;
  sim::RankBreakdown
      slowest;  ///< breakdown of the rank with the longest iteration (the first one, if several are equal)
  sim::IterationPath path;
  std::vector<sim::LinkUse> links;
  sim::StepWork work;     ///< work of a step
  double iterations = 1;  ///< number of iterations in the replay, including warm-up
};

/// The use of a link in the replays of the captured job and of the scenario. Queueing is summed over a whole replay
/// here; tables show it per iteration.
struct LinkPair {
  std::string name;
  sim::LinkUse baseline;
  sim::LinkUse scenario;
};

/// The answer to a scenario: the prediction of the scenario and the prediction of the captured job, with their
/// analysis.
struct WhatIfAnswer {
  std::string name;  ///< name of the scenario; may be empty
  Baseline captured;
  PredictionView baseline;  ///< prediction of the captured job
  PredictionView scenario;
  Range<Duration> interval;               ///< of the scenario's prediction
  std::optional<Duration> by_data_sheet;  ///< the scenario without what measured steps correct, if they do
  Effect effect;                          ///< change from the baseline to the scenario
  bool steps_differ = false;    ///< true if the captured steps differ much, so that their mean leads the answer
  MemoryAnswer memory;          ///< memory that the scenario needs
  Cluster cluster;              ///< cluster of the scenario
  std::vector<LinkPair> links;  ///< links used in either replay, ordered by their use in the replay that uses them more
  std::vector<std::string> changes;  ///< changes in the form that --set accepts
  /// For each change, the tasks that it applies to, or nothing if it does not select tasks.
  std::vector<std::optional<Selection>> selections;
  Assumptions assumptions;  ///< all assumptions of the answer
  sim::CaptureTrust trust;  ///< how far the capture can be trusted (Caution::trust())
  const Capture* capture = nullptr;
  const NetworkModel* network = nullptr;
  const Calibration* calibration = nullptr;  ///< calibration of the cluster, if it was calibrated
};

/// Predicts the captured job without changes and with those of `scenario`. `calibration` can be null. The answer keeps
/// references to `calibration` and to the predictor's capture. Throws what Change::apply() and Predictor::predict()
/// throw.
[[nodiscard]] WhatIfAnswer answer_of(Predictor& predictor, const Scenario& scenario, const Calibration* calibration,
                                     ReplayMeter& meter);

}  // namespace stepsim::scenarios

#endif
