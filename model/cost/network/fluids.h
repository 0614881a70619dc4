#ifndef STEPSIM_MODEL_COST_NETWORK_FLUIDS_H
#define STEPSIM_MODEL_COST_NETWORK_FLUIDS_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "model/base/units.h"
#include "model/cost/network/network.h"

namespace stepsim {

/// Any number of heaps that share one store of items. The store needs 8 bytes plus an item for each item, and grows to
/// the largest number of items that are in the heaps at the same time. Pairing heaps (Fredman, Sedgewick, Sleator,
/// Tarjan 1986): O(1) to push, O(log items) amortised to pop. The smallest item is on top.
template <class Item>
class HeapPool {
 public:
  /// One heap. Its items are stored in the pool; if the heap is destroyed, they stay there.
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
  /// Precondition of top() and pop(): the heap is not empty.
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
    std::uint32_t child = kNone;  ///< the first of its children
    std::uint32_t next = kNone;   ///< the next sibling; for a free place, the next free one
  };

  [[nodiscard]] Node& node(std::uint32_t place) const noexcept { return blocks_[place / kBlock][place % kBlock]; }

  std::uint32_t take_place() {
    if (free_ != kNone) return std::exchange(free_, node(free_).next);
    if (used_ == blocks_.size() * kBlock) blocks_.push_back(std::make_unique<Node[]>(kBlock));
    return used_++;
  }

  /// Makes the node with the larger item a child of the other node. Returns the other node.
  std::uint32_t merged(std::uint32_t a, std::uint32_t b) {
    if (node(b).item < node(a).item) std::swap(a, b);
    node(b).next = std::exchange(node(a).child, b);
    return a;
  }

  /// Merges a list of sibling nodes: first in pairs of neighbours, then the pairs from the last to the first. Returns
  /// the top node.
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

  // Stored in blocks, so that growing copies nothing and wastes little memory.
  std::vector<std::unique_ptr<Node[]>> blocks_;
  std::uint32_t used_ = 0;  ///< number of places ever used
  std::uint32_t free_ = kNone;
};

/// Finds the earliest of several clocks (points in time) that are set repeatedly. It is a tournament: a tree in an
/// array, in which every node contains the earlier of its two children.
///
/// O(log clocks) to set a clock, less if it is not among the earliest; O(1) to query. Of clocks with equal times, the
/// one with the smallest number is first. docs/results/event-queue.csv has measurements of alternatives.
class Earliest {
 public:
  /// Adds a clock, set to Time::max(). O(clocks).
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

  /// Returns the earliest time of all clocks, or Time::max() if there are no clocks.
  [[nodiscard]] Time time() const noexcept { return nodes_[1].time; }
  [[nodiscard]] std::size_t clock() const noexcept { return nodes_[1].clock; }

 private:
  struct Node {
    Time time = Time::max();
    std::uint32_t clock = 0;
  };
  std::size_t count_ = 0;
  std::size_t leaves_ = 1;  ///< number of leaves, a power of two
  std::vector<Node> nodes_ = std::vector<Node>(2);
};

/// Messages whose bytes are moving, and when each has moved its last byte. The caller sets the rates.
///
/// All messages of a channel move at the same rate. Each channel is put on a clock, and the channels on a clock move in
/// proportion to their weights. A clock counts the bytes that a message of weight 1 has moved. A channel stores the
/// difference between its own count and weight * the clock's count, and the count at which each of its messages ends.
/// Therefore, a change of a clock's rate costs O(1) for any number of channels and messages. A change of weight costs
/// O(log channels of the clock). A message costs O(log messages of its channel) and O(log channels of its clock), and
/// 24 bytes while it moves. Counts are doubles: a clock restarts from 0 before the count of its heaviest channel
/// becomes less exact than a millionth of a byte.
class Fluids {
 public:
  static constexpr std::uint32_t kNoClock = 0xFFFFFFFFU;
  struct Ended {
    ChannelId channel;
    MessageId message;
  };

  /// add_channel() adds the next channel, numbered from 0; add_clock() adds the next clock, with rate 0.
  void add_channel() { flows_.emplace_back(); }
  std::uint32_t add_clock();

  /// Adds a message. Its bytes begin to move as soon as its channel is on a clock.
  void enter(ChannelId channel_id, MessageId message, Bytes bytes, Time now);
  [[nodiscard]] std::size_t messages(ChannelId channel) const noexcept { return flows_[channel.index()].messages; }
  [[nodiscard]] std::uint32_t clock(ChannelId channel) const noexcept { return flows_[channel.index()].clock; }
  /// Puts the channel on this clock from now on. Precondition: the channel has messages.
  void put_on(std::uint32_t clock_id, ChannelId channel_id, Time now);
  /// Makes each message of the channel move, from now on, `weight` times as fast as its clock; the initial weight is 1.
  /// Precondition: weight > 0.
  void set_weight(ChannelId channel_id, double weight, Time now);
  /// Makes each message of the clock's channels move, from now on, `rate` bytes per nanosecond, times its weight.
  void set_rate(std::uint32_t clock_id, double rate, Time now);

  /// Call at time `now`, at which the clock's first message ends. Appends all messages that end within half a
  /// nanosecond of `now`, because ends are rounded to nanoseconds. A channel without messages is removed from its
  /// clock.
  void finish(std::uint32_t clock_id, Time now, std::vector<Ended>& ended);

  /// Calls on_change(clock, end of its first message) for every clock whose first end may have changed since the last
  /// call; the end is Time::max() if nothing moves.
  template <class OnChange>
  void settle(OnChange on_change) {
    for (const std::uint32_t clock : stale_) on_change(clock, next_end(clock));
    stale_.clear();
  }

 private:
  /// A message and the count of its channel at which its last byte has moved.
  struct Mark {
    double count = 0;
    MessageId message;
    friend bool operator<(const Mark& a, const Mark& b) noexcept {
      return a.count != b.count ? a.count < b.count : a.message < b.message;
    }
  };
  struct Flow {
    std::uint32_t clock = kNoClock;
    std::uint32_t entry = 0;  ///< number of its valid entry in the clock
    double weight = 1;
    double ahead = 0;  ///< its count minus weight * the clock's count
    std::uint32_t messages = 0;
    HeapPool<Mark>::Heap marks{};  ///< ends of its messages, the first one on top
  };
  /// The end of a channel's first message, as a count of the channel's clock. An entry is void if its number differs
  /// from Flow::entry.
  struct Entry {
    double count = 0;
    ChannelId channel;
    std::uint32_t number = 0;
    friend bool operator<(const Entry& a, const Entry& b) noexcept {
      return a.count != b.count ? a.count > b.count : a.channel > b.channel;
    }
  };
  struct Clock {
    double rate = 0;   ///< bytes per nanosecond at weight 1
    double count = 0;  ///< bytes moved at weight 1, at time `since`
    Time since{};
    std::uint32_t flows = 0;
    bool stale = false;          ///< true if in stale_
    std::vector<Entry> entries;  ///< a heap with the first end on top

    void advance(Time now) noexcept {
      count += rate * static_cast<double>((now - since).count());
      since = now;
    }
  };

  [[nodiscard]] Time next_end(std::uint32_t clock_id);
  void end_messages(ChannelId channel_id, double count, Time now, std::vector<Ended>& ended);
  void take_off(Flow& flow, Time now);
  void restart_large_count(std::uint32_t clock_id, double weight);
  [[nodiscard]] double end_of_first(const Flow& flow) const {
    return (marks_.top(flow.marks).count - flow.ahead) / flow.weight;
  }
  void enlist(ChannelId channel_id);
  [[nodiscard]] bool is_void(const Entry& entry) const { return flows_[entry.channel.index()].entry != entry.number; }
  void drop_void_entries(Clock& clock);
  void make_stale(std::uint32_t clock);

  std::vector<Flow> flows_;  ///< indexed by channel
  HeapPool<Mark> marks_;
  std::vector<Clock> clocks_;
  std::vector<std::uint32_t> stale_;
};

}  // namespace stepsim

#endif
