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

/// Messages whose bytes move, and when each has moved its last byte. The rates are set from
/// outside.
///
/// All messages of a channel move alike, and all channels on a clock in proportion to their weights:
/// the clock counts the bytes that a message of weight 1 has moved. A channel knows how far its own
/// count is ahead of weight * the clock's, and at which count each of its messages ends. So a change
/// of a clock's rate costs O(1), however many channels and messages it concerns; a change of weight
/// O(log channels of the clock); a message O(log messages of its channel) and O(log channels of its
/// clock), and 24 bytes while it moves. Counts are doubles: a clock begins again from 0 before what its
/// heaviest channel could have moved is not exact to a millionth of a byte any more.
class Fluids {
 public:
  static constexpr std::uint32_t kNoClock = 0xFFFFFFFFU;
  struct Ended {
    ChannelId channel;
    MessageId message;
  };

  /// The next channel, numbered from 0, and the next clock, at rate 0.
  void add_channel() { flows_.emplace_back(); }
  std::uint32_t add_clock();

  /// A message's bytes begin to move, as soon as its channel is on a clock.
  void enter(ChannelId channel_id, MessageId message, Bytes bytes, Time now);
  [[nodiscard]] std::size_t messages(ChannelId channel) const noexcept { return flows_[channel.index()].messages; }
  [[nodiscard]] std::uint32_t clock(ChannelId channel) const noexcept { return flows_[channel.index()].clock; }
  /// From now on the channel goes by this clock. Precondition: it has messages.
  void put_on(std::uint32_t clock_id, ChannelId channel_id, Time now);
  /// From now on each message of the channel moves `weight` times as fast as its clock; 1 until then.
  /// Precondition: weight > 0.
  void set_weight(ChannelId channel_id, double weight, Time now);
  /// From now on each message of the clock's channels moves `rate` bytes a nanosecond, times its weight.
  void set_rate(std::uint32_t clock_id, double rate, Time now);

  /// `now` is when the clock's first message ends: appends all that end within half a nanosecond,
  /// for that was rounded to a whole one. A channel without messages is on no clock any more.
  void finish(std::uint32_t clock_id, Time now, std::vector<Ended>& ended);

  /// Calls on_change(clock, end of its first message) for every clock where that may have changed
  /// since the last call; Time::max() where nothing moves.
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
    double ahead = 0;  ///< its count, less weight * that of the clock
    std::uint32_t messages = 0;
    HeapPool<Mark>::Heap marks{};  ///< of its messages, the first end on top
  };
  /// The first end of a channel, by the count of its clock. Void if its number is not Flow::entry.
  struct Entry {
    double count = 0;
    ChannelId channel;
    std::uint32_t number = 0;
    friend bool operator<(const Entry& a, const Entry& b) noexcept {
      return a.count != b.count ? a.count > b.count : a.channel > b.channel;
    }
  };
  struct Clock {
    double rate = 0;   ///< bytes a nanosecond at weight 1
    double count = 0;  ///< bytes at weight 1, at `since`
    Time since{};
    std::uint32_t flows = 0;
    bool stale = false;          ///< in stale_
    std::vector<Entry> entries;  ///< a heap, the first end on top

    void advance(Time now) noexcept {
      count += rate * static_cast<double>((now - since).count());
      since = now;
    }
  };

  [[nodiscard]] Time next_end(std::uint32_t clock_id);
  void end_messages(ChannelId channel_id, double count, Time now, std::vector<Ended>& ended);
  void take_off(Flow& flow, Time now);
  void begin_again_if_far(std::uint32_t clock_id, double weight);
  [[nodiscard]] double end_of_first(const Flow& flow) const {
    return (marks_.top(flow.marks).count - flow.ahead) / flow.weight;
  }
  void enlist(ChannelId channel_id);
  [[nodiscard]] bool is_void(const Entry& entry) const { return flows_[entry.channel.index()].entry != entry.number; }
  void drop_void_on_top(Clock& clock);
  void make_stale(std::uint32_t clock);

  std::vector<Flow> flows_;  ///< by channel
  HeapPool<Mark> marks_;
  std::vector<Clock> clocks_;
  std::vector<std::uint32_t> stale_;
};

}  // namespace stepsim

#endif
