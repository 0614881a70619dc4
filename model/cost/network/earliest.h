#ifndef STEPSIM_MODEL_COST_NETWORK_EARLIEST_H
#define STEPSIM_MODEL_COST_NETWORK_EARLIEST_H

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/base/units.h"

namespace stepsim {

/// The earliest of a fixed set of clocks, each of which is set again and again: a tournament,
/// kept as a tree in an array whose every node names the earlier of the two below it.
///
/// O(log clocks) to set one, less if it is not among the first; O(1) to ask. Of those at the same time the smallest
/// number comes first. Other event queues were measured: docs/performance.md, "Event queue".
class Earliest {
 public:
  /// One more clock, at Time::max(). O(clocks).
  std::size_t add();

  void set(std::size_t clock, Time time) noexcept {
    std::size_t node = leaves_ + clock;
    if (nodes_[node].time == time) return;
    nodes_[node].time = time;
    while (node > 1) {
      const Node& left = nodes_[node & ~std::size_t{1}];
      const Node& right = nodes_[node | 1U];
      const Node& earlier = right.time < left.time ? right : left;
      node /= 2;
      if (nodes_[node].clock == earlier.clock && nodes_[node].time == earlier.time) return;
      nodes_[node] = earlier;
    }
  }

  /// Time::max() without clocks.
  [[nodiscard]] Time time() const noexcept { return nodes_[1].time; }
  [[nodiscard]] std::size_t clock() const noexcept { return nodes_[1].clock; }

 private:
  struct Node {
    Time time = Time::max();
    std::uint32_t clock = 0;
  };
  std::size_t count_ = 0;
  std::size_t leaves_ = 1;  ///< a power of two
  std::vector<Node> nodes_ = std::vector<Node>(2);
};

}  // namespace stepsim

#endif
