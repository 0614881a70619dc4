#ifndef STEPSIM_INGEST_FORMATS_CHAKRA_NODE_H
#define STEPSIM_INGEST_FORMATS_CHAKRA_NODE_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/parts/execution_graph_builder.h"

namespace stepsim::ingest {

/// A node of a Chakra execution trace as its file says it, in Protobuf or JSON. Numbers as in et_def.proto of
/// mlcommons/chakra; absent is what the file does not say.
struct ChakraNode {
  std::optional<std::int64_t> id;
  std::string name;
  std::int64_t type = 0;              ///< 1 metadata, 2 and 3 memory, 4 compute, 5 send, 6 receive, 7 collective
  std::vector<std::int64_t> control;  ///< ctrl_deps
  std::vector<std::int64_t> data;     ///< data_deps
  std::int64_t nanoseconds = 0;       ///< 0: not said
  std::optional<bool> on_host;        ///< is_cpu_op
  std::optional<std::int64_t> thread, stream;
  std::optional<std::int64_t> operations, tensor_bytes;  ///< num_ops, tensor_size
  std::optional<std::int64_t> collective;                ///< comm_type
  std::int64_t bytes = 0;                                ///< comm_size
  std::optional<std::int64_t> source, destination, root;
  std::int64_t tag = 0;
  std::string group;   ///< pg_name
  std::string values;  ///< of metadata: its inputs' values, which may list process groups

  /// Forgets all, and keeps the memory.
  void clear();
};

/// Takes a number that the file calls `name`: "comm_size" in Protobuf, "commsize" in JSON. Others are ignored.
void take_chakra_number(std::string_view name, std::int64_t value, ChakraNode& node);

/// Where a file's nodes come from, for what is said of them.
struct ChakraFile {
  const std::string& name;
  std::string version;  ///< that it states; empty: none
};

/// Adds a node to `graph`. Counts one that cannot be used in `sink`, as of `file` at `offset`, and one that does not
/// say where it runs.
void add_chakra_node(const ChakraNode& node, std::uint64_t offset, const ChakraFile& file, PartSink& sink,
                     ExecutionGraphBuilder& graph);

}  // namespace stepsim::ingest

#endif
