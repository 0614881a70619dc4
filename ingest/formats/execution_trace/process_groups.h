#ifndef STEPSIM_INGEST_FORMATS_EXECUTION_TRACE_PROCESS_GROUPS_H
#define STEPSIM_INGEST_FORMATS_EXECUTION_TRACE_PROCESS_GROUPS_H

#include <optional>
#include <string_view>

#include "ingest/parts/execution_graph.h"

/// What the execution traces of Chakra and PyTorch have in common.
namespace stepsim::ingest {

/// Enters in graph.groups what a node "## process_group:init ##" lists: [{"pg_name": "1", "ranks": [0, 1]}], within
/// other brackets and quotes, too. A group without ranks is that of all, and is left out. What is no such list is
/// ignored.
void add_process_groups(std::string_view values, ExecutionGraph& graph);

/// "AllReduce", "all_reduce", "allreduce"; kUnknown for what is no collective's name.
[[nodiscard]] CollectiveOp collective_called(std::string_view name);

/// The rank in the name of a file: the last number before its extensions, as in workload.3.et or dlrm_eg_3.json;
/// nothing if it has none.
[[nodiscard]] std::optional<std::int64_t> rank_in_file_name(std::string_view name);

}  // namespace stepsim::ingest

#endif
