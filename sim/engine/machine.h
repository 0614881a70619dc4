#ifndef STEPSIM_SIM_ENGINE_MACHINE_H
#define STEPSIM_SIM_ENGINE_MACHINE_H

#include <cstddef>
#include <utility>
#include <vector>

#include "model/base/count_column.h"
#include "model/base/units.h"
#include "model/cost/network/network.h"
#include "model/job/cluster.h"
#include "model/job/dag.h"
#include "model/job/recording.h"

namespace stepsim::sim {

/// Links of a route under a model that follows messages link by link: each message is work on every one of them. Routes
/// through tori of ten thousand hosts have less than 50.
inline constexpr std::size_t kLongestRoute = 256;

/// The models a replay runs under: how long each task takes, how messages and collectives
/// travel, and when the ranks begin. The one place where models are wired to a dag. Refers to
/// the dag and the cluster, which must outlive it.
class Machine {
 public:
  /// Recorded durations, tasks without predecessors starting at 0.
  explicit Machine(const Dag& dag) : dag_(&dag) {}

  /// Recorded durations; a task without predecessors starts when its rank's first task did,
  /// counted from the start of the earliest rank. These are the only recorded start times
  /// that a replay uses. O(tasks).
  [[nodiscard]] static Machine as_recorded(const Capture& capture);

  [[nodiscard]] Duration duration(TaskId task) const noexcept {
    return durations_.empty() ? dag_->duration(task) : durations_[task.index()];
  }
  /// In place of the recorded ones. Precondition: one a task, none negative.
  void set_durations(const std::vector<Duration>& durations);

  /// When a task without predecessors may start; 0 if set_origins() does not name it.
  [[nodiscard]] Time origin(TaskId task) const noexcept;
  /// Sets the start of tasks without predecessors. Precondition: ascending by task.
  void set_origins(std::vector<std::pair<TaskId, Time>> origins) { origins_ = std::move(origins); }

  /// From now on `model` says how long messages take (tasks on lanes with endpoints), and
  /// collectives whose payload is known run as messages between the endpoints of their
  /// members' ranks. `recorded` changes nothing. Throws UsageError where `cluster` has too few
  /// endpoints, no route between two that talk to each other, or one that is too long.
  /// O(lanes + members + links of the routes).
  void set_network(const NetworkModel& model, const Cluster& cluster);
  /// Null while recorded durations hold.
  [[nodiscard]] const NetworkModel* network() const noexcept { return network_; }
  /// Precondition: network() is not null.
  [[nodiscard]] const Cluster& cluster() const noexcept { return *cluster_; }

 private:
  const Dag* dag_;
  std::vector<std::pair<TaskId, Time>> origins_;
  CountColumn<Duration> durations_;  ///< narrow: a sweep has them for every point in flight
  const NetworkModel* network_ = nullptr;
  const Cluster* cluster_ = nullptr;
};

}  // namespace stepsim::sim

#endif
