#ifndef STEPSIM_INGEST_PARTS_SUCCESSORS_H
#define STEPSIM_INGEST_PARTS_SUCCESSORS_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace stepsim::ingest {

/// The successors of each node of a graph, and the number of predecessors that each still waits for. Nodes are numbers
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
    // Moves begin_[from + 1] from the begin of the successors of `from` to their end.
    for_each_edge(
        [this](std::size_t from, std::size_t to) { targets_[begin_[from + 1]++] = static_cast<std::uint32_t>(to); });
  }

  /// Returns for each node how many of its predecessors have not ended.
  [[nodiscard]] const std::vector<std::uint32_t>& waiting() const noexcept { return waiting_; }
  /// Ends `node`, and calls `ready(i)` for each node whose last predecessor it was.
  template <class Ready>
  void end(std::size_t node, const Ready& ready) {
    for (std::uint64_t i = begin_[node]; i < begin_[node + 1]; ++i) {
      if (--waiting_[targets_[i]] == 0) ready(targets_[i]);
    }
  }

 private:
  std::vector<std::uint32_t> waiting_;  // constructed first, which limits `count` so that count + 2 cannot overflow
  std::vector<std::uint64_t> begin_;    // begin of each node's successors in targets_
  std::vector<std::uint32_t> targets_;
};

/// Ends each node after all its predecessors have ended (Kahn's algorithm). Returns for each node how many of its
/// predecessors cannot end: more than 0 for nodes in cycles and those after them, else 0. O(nodes + edges).
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

}  // namespace stepsim::ingest

#endif
