#ifndef STEPSIM_INGEST_PARTS_SUCCESSORS_H
#define STEPSIM_INGEST_PARTS_SUCCESSORS_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace stepsim::ingest {

/// The successors of each node of a graph, and the number of unfinished predecessors of each node. Nodes are numbered
/// from 0.
class Successors {
 public:
  /// `for_each_edge(edge)` calls edge(from, to) for each edge, in the same order whenever it is called.
  template <class ForEachEdge>
  Successors(std::size_t count, const ForEachEdge& for_each_edge) : waiting_(count), begin_(count + 2) {
    for_each_edge([this](std::size_t from, std::size_t to) {
      ++begin_[from + 2];
      ++waiting_[to];
    });
    for (std::size_t i = 0; i < count; ++i) begin_[i + 2] += begin_[i + 1];
    targets_.resize(begin_[count + 1]);
    // Fills targets_. This moves begin_[from + 1] from the begin of the successors of `from` to their end.
    for_each_edge(
        [this](std::size_t from, std::size_t to) { targets_[begin_[from + 1]++] = static_cast<std::uint32_t>(to); });
  }

  /// Returns for each node how many of its predecessors are not finished.
  [[nodiscard]] const std::vector<std::uint32_t>& waiting() const noexcept { return waiting_; }
  /// Marks `node` as finished. Calls `ready(i)` for each successor i whose predecessors are now all finished.
  template <class Ready>
  void end(std::size_t node, const Ready& ready) {
    for (std::uint64_t i = begin_[node]; i < begin_[node + 1]; ++i) {
      if (--waiting_[targets_[i]] == 0) ready(targets_[i]);
    }
  }

 private:
  std::vector<std::uint32_t> waiting_;  // constructed first: throws if `count` is so large that count + 2 overflows
  std::vector<std::uint64_t> begin_;    // begin of each node's successors in targets_
  std::vector<std::uint32_t> targets_;
};

/// Finishes each node after all its predecessors (Kahn's algorithm). Returns for each node how many of its predecessors
/// are never finished: more than 0 for nodes in cycles and those after them, else 0. O(nodes + edges).
template <class ForEachEdge>
[[nodiscard]] std::vector<std::uint32_t> count_blocked_predecessors(std::size_t count,
                                                                    const ForEachEdge& for_each_edge) {
  Successors successors(count, for_each_edge);
  std::vector<std::uint32_t> ready;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (successors.waiting()[i] == 0) ready.push_back(i);
  }
  while (!ready.empty()) {
    const std::uint32_t node = ready.back();
    ready.pop_back();
    successors.end(node, [&ready](std::uint32_t next) { ready.push_back(next); });
  }
  return successors.waiting();
}

/// Returns a node of a cycle, or nullopt if there is none. `predecessors_of(node)` returns the nodes that `node` waits
/// for. O(nodes + edges).
template <class PredecessorsOf>
[[nodiscard]] std::optional<std::uint32_t> find_cycle(std::size_t count, const PredecessorsOf& predecessors_of) {
  const std::vector<std::uint32_t> blocked = count_blocked_predecessors(count, [&](const auto& edge) {
    for (std::uint32_t i = 0; i < count; ++i) {
      for (const std::uint32_t before : predecessors_of(i)) edge(before, i);
    }
  });
  const auto is_blocked = [&blocked](std::uint32_t node) { return blocked[node] > 0; };
  const auto first = std::find_if(blocked.begin(), blocked.end(), [](std::uint32_t n) { return n > 0; });
  if (first == blocked.end()) return std::nullopt;
  // Every blocked node has a blocked predecessor, so this walk ends only where it has been before, which is a cycle.
  std::vector<bool> visited(count);
  auto node = static_cast<std::uint32_t>(first - blocked.begin());
  while (!visited[node]) {
    visited[node] = true;
    const auto& before = predecessors_of(node);
    node = *std::find_if(before.begin(), before.end(), is_blocked);
  }
  return node;
}

}  // namespace stepsim::ingest

#endif
