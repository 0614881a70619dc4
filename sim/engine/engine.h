#ifndef STEPSIM_SIM_ENGINE_ENGINE_H
#define STEPSIM_SIM_ENGINE_ENGINE_H

#include <atomic>
#include <functional>
#include <stdexcept>

#include "model/job/dag.h"
#include "sim/engine/machine.h"
#include "sim/engine/timeline.h"

namespace stepsim::sim {

/// When several threads pay off; measured in docs/performance.md. Never changes the result.
struct Grain {
  std::size_t tasks = std::size_t{1} << 18U;  ///< a replay of fewer tasks has one thread
  std::size_t round = 4096;  ///< with fewer tasks than this between two stops, one thread goes on alone
};

struct EngineOptions {
  int threads = 1;  ///< never changes the result
  Grain grain{};
  const std::atomic<bool>* stop = nullptr;      ///< set by Ctrl-C: replay throws Interrupted
  std::function<void(std::size_t)> progress{};  ///< tasks done so far, now and then; may be empty
};

/// Nothing can go on: collectives hold lanes that each other's members wait for, or credit is never
/// given back. The real machine would hang too. what() is one line and names up to four of the tasks
/// that wait.
class DeadlockError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Replays `dag` on `machine` and returns when every task started and finished.
///
/// * A task is ready when all its predecessors have ended and their edges' lags have passed;
///   without predecessors, at machine.origin(task).
/// * On a lane of LaneOrder::kEdges a task starts when it is ready. A lane of LaneOrder::kFifo or
///   kPriority runs as many tasks at once as its capacity says, one by default. When a place is
///   free it takes the first of its queue: kFifo the task that was ready first, kPriority that
///   with the smallest priority, and of those alike the earlier and then the smaller id. It chooses
///   after all ends of that instant, and after the lanes whose first task takes no time, so that
///   what those release is in the queue too. While the lane has too little credit for the first of
///   the queue, that task waits, and all behind it.
/// * A task ends its duration after it started; a member of a rendezvous ends its own
///   duration after the last member started, and holds its place on the lane until then.
/// * Under a network model (Machine::set_network) a task on a lane with endpoints is a message:
///   it ends when its last byte has arrived, and its lane is free when that byte has left.
///   Collectives whose payload is known send their first messages kCollectiveOverhead
///   (model/cost/network/network.h) after the last member started; a member ends with its last
///   round. Where NetworkModel::sender_goes_on, kProgram and kStream edges out of a message wait
///   only until it has left.
/// * released_by: kLane if the task started later than it was ready (by whoever left the lane
///   or gave credit back last; of several at one instant, between which the lane took nobody,
///   the largest id), else the predecessor whose end plus lag was latest, of those the smallest
///   id. last_arrival: the member that started last, of those the smallest id.
///
/// So the result depends only on the arguments, not on the thread count or the host. `dag` and
/// `machine` are only read. Needs 24 bytes a task, the timeline included, 16 for each task that
/// waits for or runs on a lane with a queue, and what the network keeps of messages under way.
/// O(tasks log tasks + edges), besides the network's work. Times beyond 146 years stay there.
/// Throws Interrupted, UsageError for collectives of more messages than can be followed, and DeadlockError (only where
/// rendezvous or credit meet lanes with queues).
[[nodiscard]] Timeline replay(const Dag& dag, const Machine& machine, const EngineOptions& options = {});

}  // namespace stepsim::sim

#endif
