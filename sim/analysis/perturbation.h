#ifndef STEPSIM_SIM_ANALYSIS_PERTURBATION_H
#define STEPSIM_SIM_ANALYSIS_PERTURBATION_H

#include <cstddef>
#include <optional>

#include "model/job/recording.h"
#include "sim/engine/engine.h"
#include "sim/engine/machine.h"
#include "sim/engine/timeline.h"

/// A test of a capture's graph that can fail.
///
/// A replay of the recorded durations gives the recorded times back even if the graph is wrong, because waits that it
/// does not explain are kept as lags. Steps of a job do the same work, but never in the same time. So each step is
/// predicted by the graph of another one, with all its dependencies and lags: only the durations of the tasks are those
/// of the step that is predicted. Where a lag stands for a dependency that the graph lacks, the prediction is off.
namespace stepsim::sim {

/// No test for larger captures: it replays them once more, and sorts their tasks.
inline constexpr std::size_t kMostPerturbedTasks = 4'000'000;

struct Perturbation {
  bool between_ranks = false;  ///< ranks of one step predicted each other, because no rank has two steps
  std::size_t steps = 0;       ///< how many were predicted, over all ranks
  double error = 0;            ///< mean of |predicted - measured| / measured
  double worst_error = 0;      ///< the largest of these
  /// Mean of |other - measured| / measured, where `other` is the time of the step whose graph was used. It is the
  /// error of a prediction that changes nothing: where it is small, the test says little.
  double difference = 0;
};

/// Every whole step is predicted by the graph of the one before it, the first by that of the last. Where each rank has
/// one step, a rank is predicted by the graph of the rank before it, with its own late start. A task's duration is
/// that of the k-th task with its lane, name and kind in the other step. Tasks without such a counterpart are scaled so
/// that a lane's sum is right. `timeline` is the replay of `capture` on `machine`.
/// Nothing if there is only one step, if ranks have different numbers of steps, or if there are too many tasks.
/// O(tasks log tasks) and a replay.
[[nodiscard]] std::optional<Perturbation> perturbation_test(const Capture& capture, const Machine& machine,
                                                            const Timeline& timeline, const EngineOptions& options);

}  // namespace stepsim::sim

#endif
