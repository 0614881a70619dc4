#ifndef STEPSIM_INGEST_FORMATS_CHAKRA_NODE_H
#define STEPSIM_INGEST_FORMATS_CHAKRA_NODE_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/parts/execution_graph_builder.h"

namespace stepsim::ingest {

/// A node of a Chakra execution trace as read from its file, in Protobuf or JSON. Numbers have the same meaning as in
/// et_def.proto of mlcommons/chakra; an optional is empty if the file lacks the value.
struct ChakraNode {
  std::optional<std::int64_t> id;
  std::string name;
  std::int64_t type = 0;              ///< 1 metadata, 2 and 3 memory, 4 compute, 5 send, 6 receive, 7 collective
  std::vector<std::int64_t> control;  ///< ctrl_deps
  std::vector<std::int64_t> data;     ///< data_deps
  std::int64_t nanoseconds = 0;       ///< duration; 0 = not stated
  std::optional<bool> on_host;        ///< is_cpu_op
  std::optional<std::int64_t> thread, stream;
  std::optional<std::int64_t> operations, tensor_bytes;  ///< num_ops, tensor_size
  std::optional<std::int64_t> collective;                ///< comm_type
  std::int64_t bytes = 0;                                ///< comm_size
  std::optional<std::int64_t> source, destination, root;
  std::int64_t tag = 0;
  std::string group;   ///< pg_name
  std::string values;  ///< for metadata: the values of its inputs, which may list process groups

  /// Resets all members but keeps their memory.
  void clear();
};

/// Sets the member for an attribute `name`, such as "comm_size" in Protobuf or "commsize" in JSON. Other names are
/// ignored.
void take_chakra_number(std::string_view name, std::int64_t value, ChakraNode& node);

/// The file that nodes come from, for messages.
struct ChakraFile {
  const std::string& name;
  std::string version;  ///< the version that it states; empty = none
};

/// Adds a node to `graph`. Counts an unusable node, and a node that does not state where it runs, in `sink` with `file`
/// and `offset`.
void add_chakra_node(const ChakraNode& node, std::uint64_t offset, const ChakraFile& file, PartSink& sink,
                     ExecutionGraphBuilder& graph);

}  // namespace stepsim::ingest

#endif
