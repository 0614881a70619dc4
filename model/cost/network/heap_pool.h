#ifndef STEPSIM_MODEL_COST_NETWORK_HEAP_POOL_H
#define STEPSIM_MODEL_COST_NETWORK_HEAP_POOL_H

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace stepsim {

/// Any number of heaps whose items lie in one store: together they need 8 bytes more than an item
/// for each that is in one of them, however they grow and shrink. Pairing heaps (Fredman, Sedgewick,
/// Sleator, Tarjan 1986): O(1) to push, O(log items) amortised to pop. The least item is on top.
template <class Item>
class HeapPool {
 public:
  /// One heap. Its items are the pool's, so what it still holds when it is dropped stays there.
  class Heap {
   public:
    [[nodiscard]] bool empty() const noexcept { return top_ == kNone; }

   private:
    friend class HeapPool;
    std::uint32_t top_ = kNone;
  };

  void push(Heap& heap, const Item& item) {
    const std::uint32_t added = take_place();
    node(added) = {item};
    heap.top_ = heap.empty() ? added : merged(heap.top_, added);
  }
  /// Precondition: not empty, as for pop().
  [[nodiscard]] const Item& top(const Heap& heap) const noexcept { return node(heap.top_).item; }
  void pop(Heap& heap) {
    Node& gone = node(heap.top_);
    const std::uint32_t below = gone.child;
    gone.next = std::exchange(free_, heap.top_);
    heap.top_ = merged_row(below);
  }

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFU;
  static constexpr std::uint32_t kBlock = 256;
  struct Node {
    Item item{};
    std::uint32_t child = kNone;  ///< the first of those below
    std::uint32_t next = kNone;   ///< beside it, below the same one; of free places, the next
  };

  [[nodiscard]] Node& node(std::uint32_t place) const noexcept { return blocks_[place / kBlock][place % kBlock]; }

  std::uint32_t take_place() {
    if (free_ != kNone) return std::exchange(free_, node(free_).next);
    if (used_ == blocks_.size() * kBlock) blocks_.push_back(std::make_unique<Node[]>(kBlock));
    return used_++;
  }

  /// Puts the later of two tops below the other one.
  std::uint32_t merged(std::uint32_t a, std::uint32_t b) {
    if (node(b).item < node(a).item) std::swap(a, b);
    node(b).next = std::exchange(node(a).child, b);
    return a;
  }

  /// The top of all in a row, merged pair by pair and then from the last pair to the first.
  std::uint32_t merged_row(std::uint32_t first) {
    std::uint32_t pairs = kNone;
    while (first != kNone) {
      const std::uint32_t second = node(first).next;
      const std::uint32_t rest = second == kNone ? kNone : node(second).next;
      const std::uint32_t pair = second == kNone ? first : merged(first, second);
      node(pair).next = std::exchange(pairs, pair);
      first = rest;
    }
    std::uint32_t top = kNone;
    while (pairs != kNone) {
      const std::uint32_t rest = node(pairs).next;
      top = top == kNone ? pairs : merged(top, pairs);
      pairs = rest;
    }
    return top;
  }

  // In blocks: none is copied when one more is needed, and there is no room left over.
  std::vector<std::unique_ptr<Node[]>> blocks_;
  std::uint32_t used_ = 0;  ///< places that were ever taken
  std::uint32_t free_ = kNone;
};

}  // namespace stepsim

#endif
