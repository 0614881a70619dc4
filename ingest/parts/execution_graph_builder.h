#ifndef STEPSIM_INGEST_PARTS_EXECUTION_GRAPH_BUILDER_H
#define STEPSIM_INGEST_PARTS_EXECUTION_GRAPH_BUILDER_H

#include <cstdint>
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

}  // namespace stepsim::ingest

#endif
