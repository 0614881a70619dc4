#ifndef STEPSIM_INGEST_PARTS_SUCCESSORS_H
#define STEPSIM_INGEST_PARTS_SUCCESSORS_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace stepsim::ingest {

/// Which nodes of a graph come after which, and how many each still waits for. Nodes are numbers from 0.
class Successors {
 public:
  /// `for_each_edge(edge)` calls edge(from, to) for each edge, in the same order whenever it is called.
  template <class ForEachEdge>
  Successors(std::size_t count, const ForEachEdge& for_each_edge) : begin_(count + 1), waiting_(count) {
    for_each_edge([this](std::size_t from, std::size_t to) {
      ++begin_[from + 1];
      ++waiting_[to];
    });
    for (std::size_t i = 0; i < count; ++i) begin_[i + 1] += begin_[i];
    targets_.resize(begin_[count]);
    std::vector<std::uint64_t> place(begin_.begin(), begin_.end() - 1);
    for_each_edge([&](std::size_t from, std::size_t to) { targets_[place[from]++] = static_cast<std::uint32_t>(to); });
  }

  /// By node, how many nodes before it have not ended.
  [[nodiscard]] const std::vector<std::uint32_t>& waiting() const noexcept { return waiting_; }
  /// Ends `node`, and calls `ready(i)` for each node that waited for nothing else.
  template <class Ready>
  void end(std::size_t node, const Ready& ready) {
    for (std::uint64_t i = begin_[node]; i < begin_[node + 1]; ++i) {
      if (--waiting_[targets_[i]] == 0) ready(targets_[i]);
    }
  }

 private:
  std::vector<std::uint64_t> begin_;  // of a node's successors in targets_
  std::vector<std::uint32_t> targets_;
  std::vector<std::uint32_t> waiting_;
};

/// Ends each node once all before it have ended (Kahn's algorithm). Returns by node how many nodes before it cannot
/// end: more than 0 for those in cycles and those after them, else 0. O(nodes + edges).
template <class ForEachEdge>
[[nodiscard]] std::vector<std::uint32_t> left_waiting(std::size_t count, const ForEachEdge& for_each_edge) {
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
