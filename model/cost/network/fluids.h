#ifndef STEPSIM_MODEL_COST_NETWORK_FLUIDS_H
#define STEPSIM_MODEL_COST_NETWORK_FLUIDS_H

#include <cstdint>
#include <utility>
#include <vector>

#include "model/base/units.h"
#include "model/cost/network/heap_pool.h"
#include "model/cost/network/network.h"

namespace stepsim {

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
