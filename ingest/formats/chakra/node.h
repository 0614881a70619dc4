#ifndef STEPSIM_INGEST_FORMATS_CHAKRA_NODE_H
#define STEPSIM_INGEST_FORMATS_CHAKRA_NODE_H

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/parts/execution_graph.h"
#include "ingest/parts/part.h"
#include "ingest/parts/text_table.h"

namespace stepsim::ingest {

/// Collects the nodes of one execution trace in any order, and resolves their dependencies.
class ExecutionGraphBuilder {
 public:
  /// `sink` counts everything that is left out; it must outlive this object. Messages call the trace `file`.
  ExecutionGraphBuilder(PartSink& sink, std::string file) : sink_(sink), file_(std::move(file)) {}

  [[nodiscard]] std::uint32_t text(std::string_view text) { return texts_.intern(text).value(); }
  [[nodiscard]] std::uint32_t add_message(const ExecutionGraph::Message& message);
  [[nodiscard]] std::uint32_t add_operator(OperatorTable::Operator op);
  /// Returns the graph, so that its rank, world and groups can be set.
  [[nodiscard]] ExecutionGraph& graph() noexcept { return graph_; }
  [[nodiscard]] bool empty() const noexcept { return graph_.nodes.empty(); }

  /// Adds a node, with the ids of the nodes whose results it reads (`data`) and of those that it must follow for other
  /// reasons (`control`). `offset` is the node's offset in the file. node.after_end is ignored.
  void add(const ExecutionGraph::Node& node, std::span<const std::int64_t> data, std::span<const std::int64_t> control,
           std::uint64_t offset);

  /// Returns the graph. Of several nodes with the same id, only the first is kept. Dependencies on unknown ids are
  /// dropped, and so are all control dependencies if they form a cycle with the data dependencies. Throws InputError if
  /// data dependencies alone form a cycle, or if there is no node. O((nodes + dependencies) log nodes).
  [[nodiscard]] ExecutionGraph finish() &&;

 private:
  /// The range of a node in dependencies_. It begins where the range of the previously added node ends. The data
  /// dependencies come first; the control dependencies begin at `control`.
  struct Waits {
    std::uint64_t control = 0;
    std::uint64_t end = 0;
    std::uint64_t offset = 0;  ///< of the node in the file
  };
  void sort_nodes();
  /// Fills graph_.after, with or without the control dependencies. Returns false if they contain a cycle, and sets
  /// `stuck` to a node in the cycle or after it.
  [[nodiscard]] bool resolve(bool with_control, std::size_t& stuck);
  void resolve_one(std::int64_t id, std::uint64_t offset);

  PartSink& sink_;
  std::string file_;
  ExecutionGraph graph_;
  TextTable texts_;
  std::vector<Waits> waits_;          ///< in the order in which the nodes were added
  std::vector<std::uint32_t> added_;  ///< index into waits_ of each node of graph_
  std::vector<std::int64_t> dependencies_;
};

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
