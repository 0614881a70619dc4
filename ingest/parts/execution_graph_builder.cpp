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
  check_task_count(added_.size() + 1, {file_, offset, {}});
  const std::uint64_t begin = dependencies_.size();
  dependencies_.insert(dependencies_.end(), data.begin(), data.end());
  const std::uint64_t middle = dependencies_.size();
  dependencies_.insert(dependencies_.end(), control.begin(), control.end());
  added_.push_back({node, begin, middle, dependencies_.size(), offset});
}

ExecutionGraph ExecutionGraphBuilder::finish() && {
  if (added_.empty()) throw InputError({file_, {}, {}}, "no node is in this trace; expected at least one");
  sort_nodes();
  std::size_t stuck = 0;
  if (!resolve(true, stuck)) {
    std::uint64_t control = 0;
    for (const Added& added : added_) control += added.end - added.control;
    if (!resolve(false, stuck)) {
      throw InputError(
          {file_, added_[stuck].offset, {}},
          fmt::format("node {} waits for itself through its dependencies; expected no cycle", added_[stuck].node.id));
    }
    sink_.diagnostics.count(diagnostic("control_dependencies_not_used"), {file_, {}, {}}, {}, control);
  }
  graph_.texts = std::move(texts_).take();
  return std::move(graph_);
}

void ExecutionGraphBuilder::sort_nodes() {
  std::stable_sort(added_.begin(), added_.end(), [](const Added& a, const Added& b) { return a.node.id < b.node.id; });
  const auto same = [](const Added& a, const Added& b) { return a.node.id == b.node.id; };
  for (std::size_t i = 1; i < added_.size(); ++i) {
    if (!same(added_[i - 1], added_[i])) continue;
    sink_.diagnostics.count(diagnostic("node_id_again"), {file_, added_[i].offset, {}},
                            fmt::format("node {}", added_[i].node.id));
    ++sink_.skipped;
  }
  added_.erase(std::unique(added_.begin(), added_.end(), same), added_.end());
}

bool ExecutionGraphBuilder::resolve(bool with_control, std::size_t& stuck) {
  const Diagnostics before = sink_.diagnostics;
  graph_.nodes.clear();
  graph_.after.clear();
  for (const Added& added : added_) {
    const std::uint64_t end = with_control ? added.end : added.control;
    const auto first = static_cast<std::ptrdiff_t>(graph_.after.size());
    for (std::uint64_t i = added.begin; i < end; ++i) resolve_one(dependencies_[i], added.offset);
    std::sort(graph_.after.begin() + first, graph_.after.end());
    graph_.after.erase(std::unique(graph_.after.begin() + first, graph_.after.end()), graph_.after.end());
    graph_.nodes.push_back(added.node);
    graph_.nodes.back().after_end = graph_.after.size();
  }
  const std::vector<std::uint32_t> waiting = left_waiting(graph_.nodes.size(), [this](const auto& edge) {
    for (std::uint32_t i = 0; i < graph_.nodes.size(); ++i) {
      for (const std::uint32_t dependency : graph_.after_of(i)) edge(dependency, i);
    }
  });
  const auto waits = std::find_if(waiting.begin(), waiting.end(), [](std::uint32_t n) { return n > 0; });
  if (waits == waiting.end()) return true;
  stuck = static_cast<std::size_t>(waits - waiting.begin());
  sink_.diagnostics = before;
  return false;
}

void ExecutionGraphBuilder::resolve_one(std::int64_t id, std::uint64_t offset) {
  const auto place = std::lower_bound(added_.begin(), added_.end(), id,
                                      [](const Added& added, std::int64_t wanted) { return added.node.id < wanted; });
  if (place != added_.end() && place->node.id == id) {
    graph_.after.push_back(static_cast<std::uint32_t>(place - added_.begin()));
    return;
  }
  sink_.diagnostics.count(diagnostic("unknown_dependency"), {file_, offset, {}}, fmt::format("node {}", id));
}

}  // namespace stepsim::ingest
