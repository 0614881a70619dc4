#ifndef STEPSIM_SIM_ENGINE_ENGINE_H
#define STEPSIM_SIM_ENGINE_ENGINE_H

#include <atomic>
#include <functional>
#include <stdexcept>

#include "model/job/dag.h"
#include "sim/engine/machine.h"
#include "sim/engine/timeline.h"

namespace stepsim::sim {

/// When several threads are worth their while; measured in docs/performance.md. Never changes
/// the result.
struct Grain {
  std::size_t tasks = std::size_t{1} << 18U;  ///< a replay of fewer tasks has one thread
  std::size_t round = 4096;  ///< tasks that threads should find between two stops; with fewer, one goes on alone
};

struct EngineOptions {
  int threads = 1;  ///< never changes the result
  Grain grain{};
  const std::atomic<bool>* stop = nullptr;      ///< set by Ctrl-C: replay throws Interrupted
  std::function<void(std::size_t)> progress{};  ///< tasks done so far, now and then; may be empty
};

/// Collectives hold FIFO lanes that each other's members wait for, or credit is never given
/// back, as it would be on the real machine: nothing can go on. what() is one line and names
/// up to four of those that wait.
class DeadlockError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Replays `dag` on `machine` and returns when every task started and finished.
///
/// * A task is ready when all its predecessors have ended and their edges' lags have passed;
///   without predecessors, at machine.origin(task).
/// * On a lane of LaneOrder::kEdges it starts when it is ready. A lane of LaneOrder::kFifo
///   runs one task at a time: when it is free it takes the waiting task that was ready first,
///   of those the smallest id. It chooses after all ends of that instant, and after the lanes
///   whose first task takes no time, so that what those release is in line too.
///   A lane of LaneOrder::kPriority does the same with the smallest priority first. Either
///   serves as many at once as its capacity says, and the first in line waits, with all behind
///   it, while the lane has too little credit for it.
/// * A task ends its duration after it started; a member of a rendezvous ends its own
///   duration after the last member started, and holds its FIFO lane until then.
/// * Under a network model (Machine::set_network) a task on a lane with endpoints is a message:
///   it ends when its last byte has arrived, and its lane is free when that has left. Collectives
///   whose payload is known begin their messages Cluster::network.collective_overhead after the
///   last member started; a member ends with its last round. What the model calls
///   sender_goes_on lets kProgram and kStream edges out of a message count from when it left.
/// * released_by: kLane if the task started later than it was ready (by whoever left the lane
///   or gave credit back last), else the predecessor whose end plus lag was latest, of those
///   the smallest id. last_arrival: the member that
///   started last, of those the smallest id.
///
/// So the result depends only on the arguments, not on the thread count or the host. `dag`
/// and `machine` are read only. Needs 24 bytes a task, the timeline included, and 16
/// for each task waiting for or running on a FIFO lane, and what the network keeps of messages
/// under way. O(tasks log tasks + edges), besides the network's work. Times
/// beyond 146 years stay at 146 years.
/// Throws Interrupted, and DeadlockError (only where rendezvous or credit meet FIFO lanes).
[[nodiscard]] Timeline replay(const Dag& dag, const Machine& machine, const EngineOptions& options = {});

}  // namespace stepsim::sim

#endif
