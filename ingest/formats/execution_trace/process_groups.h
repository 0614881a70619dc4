#ifndef STEPSIM_INGEST_FORMATS_EXECUTION_TRACE_PROCESS_GROUPS_H
#define STEPSIM_INGEST_FORMATS_EXECUTION_TRACE_PROCESS_GROUPS_H

#include <optional>
#include <string_view>

#include "ingest/parts/execution_graph.h"

/// Functions shared by the readers of Chakra's and PyTorch's execution traces.
namespace stepsim::ingest {

/// Adds the groups that a node "## process_group:init ##" lists to graph.groups. The list looks like [{"pg_name": "1",
/// "ranks": [0, 1]}] and may be inside other brackets and quotes. A group without ranks contains all ranks and is not
/// added. Any other text is ignored.
void add_process_groups(std::string_view values, ExecutionGraph& graph);

/// Returns the collective with this name: "AllReduce", "all_reduce" and "allreduce" are the same. Returns kUnknown for
/// other names.
[[nodiscard]] CollectiveOp collective_called(std::string_view name);

}  // namespace stepsim::ingest

#endif
