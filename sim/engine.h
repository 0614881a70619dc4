#ifndef STEPSIM_SIM_ENGINE_H
#define STEPSIM_SIM_ENGINE_H

#include <atomic>
#include <functional>

#include "model/dag.h"
#include "sim/machine.h"
#include "sim/timeline.h"

namespace stepsim::sim {

struct EngineOptions {
  int threads = 1;                          ///< never changes the result
  const std::atomic<bool>* stop = nullptr;  ///< set by Ctrl-C: replay throws Interrupted
  std::function<void(std::size_t)> progress;  ///< tasks done so far, now and then; may be empty
};

/// Replays `dag` on `machine` and returns when every task started and finished.
///
/// One event loop over completions in the order (time, task id): the result depends only on
/// the arguments, not on the thread count or the host. A task is ready when all its
/// predecessors have ended and their edges' lags have passed; a lane of LaneOrder::kFifo
/// serves one task at a time in the order (ready time, task id); a member of a rendezvous
/// ends its own duration after the last member has started.
///
/// A task without predecessors starts at machine.origin(task).
/// `dag` and `machine` are read only. Needs about 28 bytes a task. O(tasks log lanes).
/// Throws Interrupted, nothing else on a Dag from DagBuilder::build().
[[nodiscard]] Timeline replay(const Dag& dag, const Machine& machine, const EngineOptions& options = {});

}  // namespace stepsim::sim

#endif
