#ifndef STEPSIM_SIM_ANALYSIS_PERTURBATION_H
#define STEPSIM_SIM_ANALYSIS_PERTURBATION_H

#include <cstddef>
#include <optional>

#include "model/job/recording.h"
#include "sim/engine/engine.h"
#include "sim/engine/machine.h"
#include "sim/engine/timeline.h"

/// Tests a capture's graph by predicting each step from another step's graph.
///
/// A replay of the recorded durations reproduces the recorded times even if the graph is wrong, because unexplained
/// waits are kept as lags. Steps of a job do the same work but never take exactly the same time. Therefore, each step
/// is predicted with the graph of another step, including its dependencies and lags; only the durations of the tasks
/// are those of the predicted step. If a lag replaces a dependency that the graph lacks, the prediction is wrong.
namespace stepsim::sim {

/// Captures with more tasks are not tested, because the test replays the capture again.
inline constexpr std::size_t kMostPerturbedTasks = 4'000'000;

struct Perturbation {
  bool between_ranks = false;  ///< true if the ranks of one step predicted each other, because no rank has two steps
  std::size_t steps = 0;       ///< number of predicted steps, over all ranks
  double error = 0;            ///< mean of |predicted - measured| / measured
  double worst_error = 0;      ///< the largest |predicted - measured| / measured
  /// Mean of |other - measured| / measured, where `other` is the time of the step whose graph was used. This is the
  /// error of a prediction that assumes no change; if it is small, the test shows little.
  double difference = 0;
};

/// Predicts every whole step with the graph of the step before it, and the first step with the graph of the last. If
/// the device was still busy with the step before the last one when the last one began, the last step is left out: it
/// is then timed from the end of that work, and the others from start to start. If each rank has one step, predicts the
/// step of each rank with the graph of the rank before it, starting when the predicted rank did. Tasks are matched by
/// lane, name and kind: the k-th such task of the graph's step gets the duration of the k-th such task of the predicted
/// step. Tasks without a counterpart are scaled so that their sum on each lane equals that of the predicted step.
///
/// `timeline` is the replay of `capture` on `machine`. Returns nothing if there is only one step, if ranks have
/// different numbers of steps, or if there are too many tasks. O(tasks log tasks) and a replay.
[[nodiscard]] std::optional<Perturbation> perturbation_test(const Capture& capture, const Machine& machine,
                                                            const Timeline& timeline, const EngineOptions& options);

}  // namespace stepsim::sim

#endif
