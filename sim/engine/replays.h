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

/// The parts of a replay. engine.cpp chooses: a dag in which the order of events decides nothing is followed from task
/// to task; of any other the parts that nothing connects are replayed by events, side by side. Only the engine uses
/// them.
namespace stepsim::sim {

/// The part of a replay that follows from `sources` (tasks without predecessors, ascending), by
/// events in order of time: for dags with queues or contention. Returns how many tasks ended;
/// fewer than there are means that the others wait for each other. With `reports_progress` it calls
/// EngineOptions::progress.
/// Throws Interrupted.
std::size_t replay_events(ReplayState& state, std::span<const TaskId> sources, bool reports_progress);

/// Whether the order of events decides nothing: no lane on which tasks wait their turn, and no
/// network, or one in which no message holds up another. Then a task's times depend only on
/// those of its predecessors, and any order in which they come gives the same.
[[nodiscard]] bool is_dataflow(const Dag& dag, const Machine& machine);

/// replay() for such a dag: from task to successor, without an event queue, by several threads
/// if that pays.
///
/// The ranks are dealt to the threads in blocks. Each thread follows the tasks of its own ranks
/// as far as they go and leaves a notice for those of another block; when all have come to a
/// stop the notices are taken, and so on. Between two stops a block of k ranks of a ring goes
/// k rounds ahead, so there is much to do between them; where there is little (it is counted)
/// one thread goes on alone. Precondition: is_dataflow().
[[nodiscard]] Timeline replay_dataflow(const Dag& dag, const Machine& machine, const EngineOptions& options);

/// Deals `sources` (all tasks without predecessors, ascending) to at most `most` parts that
/// have nothing to do with each other: no edge, collective, queue, credit or link of one
/// matters to another, so they may be replayed side by side. Parts have about as many tasks as
/// each other; a job that hangs together is one part. O(edges + lanes).
[[nodiscard]] std::vector<std::vector<TaskId>> deal_parts(const Dag& dag, const Machine& machine,
                                                          std::span<const TaskId> sources, std::size_t most);

/// Several threads that do one piece of work after another together, with a stop between. Waking
/// a sleeping thread takes as long as a thousand tasks of a replay, so the threads stay awake
/// from the first piece to the last: have them only while there is much to do. Work is done by
/// the caller's thread too, and all of it if no other one comes.
class Rounds {
 public:
  /// At most `threads`, and no more than the machine has.
  explicit Rounds(int threads);
  ~Rounds();
  Rounds(const Rounds&) = delete;
  Rounds& operator=(const Rounds&) = delete;

  /// Calls work(0) ... work(count - 1), each once, in any order, and returns when all are done;
  /// what one writes is seen by all in the next round. Throws what one of them threw.
  void run(std::size_t count, const std::function<void(std::size_t)>& work);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace stepsim::sim

#endif
