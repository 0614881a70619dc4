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

/// Collects the nodes of one execution trace in any order, and resolves what they wait for.
class ExecutionGraphBuilder {
 public:
  /// `sink` counts what is left out and must outlive this; `file` stands in its messages.
  ExecutionGraphBuilder(PartSink& sink, std::string file) : sink_(sink), file_(std::move(file)) {}

  [[nodiscard]] std::uint32_t text(std::string_view text) { return texts_.intern(text).value(); }
  [[nodiscard]] std::uint32_t add_message(const ExecutionGraph::Message& message);
  [[nodiscard]] std::uint32_t add_operator(OperatorTable::Operator op);
  /// What is known of the whole: rank, world, groups.
  [[nodiscard]] ExecutionGraph& graph() noexcept { return graph_; }
  [[nodiscard]] bool empty() const noexcept { return added_.empty(); }

  /// A node, the ids of the nodes whose results it reads and of those that it comes after by control. `offset` is its
  /// place in the file. node.after_end is ignored.
  void add(const ExecutionGraph::Node& node, std::span<const std::int64_t> data, std::span<const std::int64_t> control,
           std::uint64_t offset);

  /// The graph. Of nodes with one id the first stays, and dependencies on ids that are not there are left out; so are
  /// all control dependencies if they form a cycle with the data dependencies. Throws InputError where data
  /// dependencies alone do, and where there is no node. O((nodes + dependencies) log nodes).
  [[nodiscard]] ExecutionGraph finish() &&;

 private:
  /// What a node waits for, as a range of dependencies_: data first, then control.
  struct Added {
    ExecutionGraph::Node node;
    std::uint64_t begin = 0;
    std::uint64_t control = 0;
    std::uint64_t end = 0;
    std::uint64_t offset = 0;
  };
  void sort_nodes();
  /// Fills graph_.after; false if that makes a cycle, of which `stuck` is then a node.
  [[nodiscard]] bool resolve(bool with_control, std::size_t& stuck);
  void resolve_one(std::int64_t id, std::uint64_t offset);

  PartSink& sink_;
  std::string file_;
  ExecutionGraph graph_;
  TextTable texts_;
  std::vector<Added> added_;
  std::vector<std::int64_t> dependencies_;
};

}  // namespace stepsim::ingest

#endif
