#include "ingest/parts/execution_graph_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ingest/parts/successors.h"
#include "model/base/error.h"
#include "model/base/known_diagnostics.h"
#include "model/job/dag_builder.h"

namespace stepsim::ingest {

std::uint32_t ExecutionGraphBuilder::add_message(const ExecutionGraph::Message& message) {
  graph_.messages.push_back(message);
  return static_cast<std::uint32_t>(graph_.messages.size() - 1);
}

std::uint32_t ExecutionGraphBuilder::add_operator(OperatorTable::Operator op) {
  graph_.operators.push_back(std::move(op));
  return static_cast<std::uint32_t>(graph_.operators.size() - 1);
}

void ExecutionGraphBuilder::add(const ExecutionGraph::Node& node, std::span<const std::int64_t> data,
                                std::span<const std::int64_t> control, std::uint64_t offset) {
  check_task_count(graph_.nodes.size() + 1, {file_, offset, {}});
  dependencies_.insert(dependencies_.end(), data.begin(), data.end());
  const std::uint64_t middle = dependencies_.size();
  dependencies_.insert(dependencies_.end(), control.begin(), control.end());
  graph_.nodes.push_back(node);
  // The node's index in waits_, for sort_nodes(). resolve() replaces it by the end of the node's range in graph_.after.
  graph_.nodes.back().after_end = waits_.size();
  waits_.push_back({middle, dependencies_.size(), offset});
}

ExecutionGraph ExecutionGraphBuilder::finish() && {
  if (empty()) throw InputError({file_, {}, {}}, "the trace has no node; expected at least one");
  sort_nodes();
  std::size_t stuck = 0;
  if (!resolve(true, stuck)) {
    std::uint64_t control = 0;
    for (const std::uint32_t added : added_) control += waits_[added].end - waits_[added].control;
    if (!resolve(false, stuck)) {
      throw InputError(
          {file_, waits_[added_[stuck]].offset, {}},
          fmt::format("node {} waits for itself through its dependencies; expected no cycle", graph_.nodes[stuck].id));
    }
    sink_.diagnostics.count(diagnostic("control_dependencies_not_used"), {file_, {}, {}}, {}, control);
  }
  graph_.texts = std::move(texts_).take();
  return std::move(graph_);
}

void ExecutionGraphBuilder::sort_nodes() {
  using Node = ExecutionGraph::Node;
  std::vector<Node>& nodes = graph_.nodes;
  std::sort(nodes.begin(), nodes.end(), [](const Node& a, const Node& b) {
    return std::pair{a.id, a.after_end} < std::pair{b.id, b.after_end};
  });
  const auto same = [](const Node& a, const Node& b) { return a.id == b.id; };
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    if (!same(nodes[i - 1], nodes[i])) continue;
    sink_.diagnostics.count(diagnostic("node_id_again"), {file_, waits_[nodes[i].after_end].offset, {}},
                            fmt::format("node {}", nodes[i].id));
    ++sink_.skipped;
  }
  nodes.erase(std::unique(nodes.begin(), nodes.end(), same), nodes.end());
  added_.reserve(nodes.size());
  for (const Node& node : nodes) added_.push_back(static_cast<std::uint32_t>(node.after_end));
}

bool ExecutionGraphBuilder::resolve(bool with_control, std::size_t& stuck) {
  const Diagnostics before = sink_.diagnostics;
  graph_.after.clear();
  graph_.after.reserve(dependencies_.size());
  for (std::size_t node = 0; node < added_.size(); ++node) {
    const std::uint32_t added = added_[node];
    const std::uint64_t begin = added == 0 ? 0 : waits_[added - 1].end;
    const std::uint64_t end = with_control ? waits_[added].end : waits_[added].control;
    const auto first = static_cast<std::ptrdiff_t>(graph_.after.size());
    for (std::uint64_t i = begin; i < end; ++i) resolve_one(dependencies_[i], waits_[added].offset);
    std::sort(graph_.after.begin() + first, graph_.after.end());
    graph_.after.erase(std::unique(graph_.after.begin() + first, graph_.after.end()), graph_.after.end());
    graph_.nodes[node].after_end = graph_.after.size();
  }
  const std::optional<std::uint32_t> in_cycle =
      find_cycle(graph_.nodes.size(), [this](std::uint32_t node) { return graph_.after_of(node); });
  if (!in_cycle) return true;
  stuck = *in_cycle;
  sink_.diagnostics = before;
  return false;
}

void ExecutionGraphBuilder::resolve_one(std::int64_t id, std::uint64_t offset) {
  const auto& nodes = graph_.nodes;
  const auto place =
      std::lower_bound(nodes.begin(), nodes.end(), id,
                       [](const ExecutionGraph::Node& node, std::int64_t wanted) { return node.id < wanted; });
  if (place != nodes.end() && place->id == id) {
    graph_.after.push_back(static_cast<std::uint32_t>(place - nodes.begin()));
    return;
  }
  sink_.diagnostics.count(diagnostic("unknown_dependency"), {file_, offset, {}}, fmt::format("node {}", id));
}

}  // namespace stepsim::ingest
