#ifndef STEPSIM_SIM_ENGINE_DATAFLOW_H
#define STEPSIM_SIM_ENGINE_DATAFLOW_H

#include "model/job/dag.h"
#include "sim/engine/engine.h"
#include "sim/engine/machine.h"
#include "sim/engine/timeline.h"

namespace stepsim::sim {

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

}  // namespace stepsim::sim

#endif
