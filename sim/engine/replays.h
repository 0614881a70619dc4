#ifndef STEPSIM_SIM_ENGINE_REPLAYS_H
#define STEPSIM_SIM_ENGINE_REPLAYS_H

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "model/job/dag.h"
#include "sim/engine/engine.h"
#include "sim/engine/machine.h"
#include "sim/engine/replay_state.h"
#include "sim/engine/timeline.h"

/// The two replay algorithms. engine.cpp chooses: if the order of events cannot change the result, the dag is followed
/// from task to task; otherwise its unconnected parts are replayed in parallel, event by event. Only the engine uses
/// these.
namespace stepsim::sim {

/// Replays, event by event, everything that follows from `sources` (tasks without predecessors, ascending), for dags
/// with queues or contention. Returns how many tasks ended; if that is less than the number of tasks, the remaining
/// ones wait for each other. Calls EngineOptions::progress if `reports_progress` is set. Throws Interrupted.
std::size_t replay_events(ReplayState& state, std::span<const TaskId> sources, bool reports_progress);

/// True if the order of events cannot change the result: no lane has a queue, and there is no network or one in which
/// messages do not delay each other. A task's times then depend only on the times of its predecessors.
[[nodiscard]] bool is_dataflow(const Dag& dag, const Machine& machine);

/// Replays a dag for which is_dataflow() is true. Follows tasks to their successors without an event queue, with
/// several threads if that is faster.
///
/// Each thread follows the tasks of its own block of ranks as far as possible and leaves a notice for each task of
/// another block. When all threads have stopped, the notices are exchanged and the next round begins. If ranks pass
/// messages around a ring, a block of k ranks can advance k messages between two exchanges. If rounds have too few
/// tasks, one thread does the rest. Precondition: is_dataflow().
[[nodiscard]] Timeline replay_dataflow(const Dag& dag, const Machine& machine, const EngineOptions& options);

/// Splits `sources` (all tasks without predecessors, ascending) into at most `most` independent parts, which may be
/// replayed in parallel: no edge, collective, queue, credit or link connects two parts. The parts have about the same
/// number of tasks; a connected job is one part. O(edges + lanes).
[[nodiscard]] std::vector<std::vector<TaskId>> deal_parts(const Dag& dag, const Machine& machine,
                                                          std::span<const TaskId> sources, std::size_t most);

/// A group of threads that work together on a series of rounds and wait for each other after each one. Waking a thread
/// takes as long as replaying a thousand tasks, so the threads spin from the first round to the last; keep the object
/// only while there is much to do. The calling thread works too, and does everything if no other thread is available.
class Rounds {
 public:
  /// Uses at most `threads` threads, and at most as many as the machine has.
  explicit Rounds(int threads);
  ~Rounds();
  Rounds(const Rounds&) = delete;
  Rounds& operator=(const Rounds&) = delete;

  /// Calls work(0) ... work(count - 1), each once, in any order, and returns when all are done. What one call writes is
  /// visible to all calls of the next round. Rethrows one of the exceptions they throw.
  void run(std::size_t count, const std::function<void(std::size_t)>& work);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace stepsim::sim

#endif
