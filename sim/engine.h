#ifndef STEPSIM_SIM_ENGINE_H
#define STEPSIM_SIM_ENGINE_H

#include <atomic>
#include <functional>
#include <stdexcept>

#include "model/dag.h"
#include "sim/machine.h"
#include "sim/timeline.h"

namespace stepsim::sim {

struct EngineOptions {
  int threads = 1;                              ///< never changes the result
  const std::atomic<bool>* stop = nullptr;      ///< set by Ctrl-C: replay throws Interrupted
  std::function<void(std::size_t)> progress{};  ///< tasks done so far, now and then; may be empty
};

/// Collectives hold FIFO lanes that each other's members wait for, as they would on the real
/// machine: nothing can go on. what() is one line and names up to four of them.
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
/// * A task ends its duration after it started; a member of a rendezvous ends its own
///   duration after the last member started, and holds its FIFO lane until then.
/// * released_by: kLane if the task started later than it was ready, else the predecessor
///   whose end plus lag was latest, of those the smallest id. last_arrival: the member that
///   started last, of those the smallest id.
///
/// So the result depends only on the arguments, not on the thread count or the host. `dag`
/// and `machine` are read only. Needs about 28 bytes a task, the timeline included, and 16
/// for each task waiting for or running on a FIFO lane. O(tasks log tasks + edges). Times
/// beyond 146 years stay at 146 years.
/// Throws Interrupted, and DeadlockError (only where rendezvous meet FIFO lanes).
[[nodiscard]] Timeline replay(const Dag& dag, const Machine& machine, const EngineOptions& options = {});

}  // namespace stepsim::sim

#endif
