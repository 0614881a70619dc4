#ifndef STEPSIM_SIM_ENGINE_INDEPENDENT_PARTS_H
#define STEPSIM_SIM_ENGINE_INDEPENDENT_PARTS_H

#include <cstddef>
#include <span>
#include <vector>

#include "model/job/dag.h"
#include "sim/engine/machine.h"

namespace stepsim::sim {

/// Deals `sources` (all tasks without predecessors, ascending) to at most `most` parts that
/// have nothing to do with each other: no edge, collective, queue, credit or link of one
/// matters to another, so they may be replayed side by side. Parts have about as many tasks as
/// each other; a job that hangs together is one part. O(edges + lanes).
[[nodiscard]] std::vector<std::vector<TaskId>> deal_parts(const Dag& dag, const Machine& machine,
                                                          std::span<const TaskId> sources, std::size_t most);

}  // namespace stepsim::sim

#endif
