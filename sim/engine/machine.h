#ifndef STEPSIM_SIM_ENGINE_MACHINE_H
#define STEPSIM_SIM_ENGINE_MACHINE_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "model/base/count_column.h"
#include "model/base/units.h"
#include "model/cost/network/network.h"
#include "model/job/cluster.h"
#include "model/job/dag.h"
#include "model/job/recording.h"
#include "model/job/symmetry.h"

namespace stepsim::sim {

/// The maximum number of links of a route under a model that follows messages link by link, because each link adds work
/// for each message. Routes through tori of ten thousand hosts have fewer than 50.
inline constexpr std::size_t kLongestRoute = 256;

/// The models of a replay: how long each task takes, how messages and collectives travel, and when the ranks begin.
/// This is the only place where models are connected to a dag. Keeps references to the dag and the cluster, which must
/// outlive it.
class Machine {
 public:
  /// Uses recorded durations; tasks without predecessors start at 0.
  explicit Machine(const Dag& dag) : dag_(&dag) {}

  /// Uses recorded durations. A task without predecessors starts when its rank's first task did, relative to the start
  /// of the earliest rank. These are the only recorded start times that a replay uses. O(tasks).
  [[nodiscard]] static Machine as_recorded(const Capture& capture);

  [[nodiscard]] Duration duration(TaskId task) const noexcept {
    return durations_.empty() ? dag_->duration(task) : durations_[task.index()];
  }
  /// Replaces the recorded durations. Precondition: one value per task, none negative.
  void set_durations(const std::vector<Duration>& durations);

  /// Returns when a task without predecessors may start; 0 if set_origins() does not list it.
  [[nodiscard]] Time origin(TaskId task) const noexcept;
  /// Sets the start of tasks without predecessors. Precondition: sorted by task.
  void set_origins(std::vector<std::pair<TaskId, Time>> origins) { origins_ = std::move(origins); }

  /// Makes `model` time all messages (tasks on lanes with endpoints). Collectives whose payload is known run as
  /// messages between the endpoints of their members' ranks. The model `recorded` changes nothing, nor does any model
  /// for a job without messages and such collectives. Throws UsageError if `cluster` has too few endpoints, or if a
  /// route between two communicating endpoints is missing or too long. O(lanes + members + links of the routes).
  void set_network(const NetworkModel& model, const Cluster& cluster);
  /// Returns the network model; null if recorded durations are used.
  [[nodiscard]] const NetworkModel* network() const noexcept { return network_; }
  /// Returns the cluster. Precondition: network() is not null.
  [[nodiscard]] const Cluster& cluster() const noexcept { return *cluster_; }
  /// Makes the state of the network for one replay, which must not outlive the machine. Precondition: network() is not
  /// null.
  [[nodiscard]] std::unique_ptr<Network> make_network() const;
  /// Returns how many members of a collective send messages in a replay; nothing if all do. It is set if all messages
  /// belong to collectives that all ranks take part in, and moving the ranks by this number, in a circle, changes
  /// neither the messages nor the links: then member m does what member m modulo this number does, and the network has
  /// only the links of these members (model/job/symmetry.h).
  [[nodiscard]] std::optional<std::uint32_t> sending_members() const noexcept {
    return folded_ ? std::optional{folded_->block} : std::nullopt;
  }

 private:
  const Dag* dag_;
  std::vector<std::pair<TaskId, Time>> origins_;
  CountColumn<Duration> durations_;  ///< narrow, because a sweep keeps one for every point in flight
  const NetworkModel* network_ = nullptr;
  const Cluster* cluster_ = nullptr;
  std::optional<FoldedCluster> folded_;
};

}  // namespace stepsim::sim

#endif
