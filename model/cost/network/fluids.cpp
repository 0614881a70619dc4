#include "model/cost/network/fluids.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/base/error.h"
#include "model/cost/network/channels.h"

namespace stepsim {
namespace {

template <class T>
void push(std::vector<T>& heap, const T& item) {
  heap.push_back(item);
  std::push_heap(heap.begin(), heap.end());
}

template <class T>
void pop(std::vector<T>& heap) {
  std::pop_heap(heap.begin(), heap.end());
  heap.pop_back();
}

}  // namespace

std::size_t Earliest::add() {
  if (count_ == leaves_) {
    std::vector<Node> nodes(4 * leaves_);
    std::copy_n(nodes_.begin() + static_cast<std::ptrdiff_t>(leaves_), leaves_,
                nodes.begin() + static_cast<std::ptrdiff_t>(2 * leaves_));
    nodes_ = std::move(nodes);
    leaves_ *= 2;
    for (std::size_t i = 0; i < leaves_; ++i) {
      nodes_[leaves_ + i].clock = static_cast<std::uint32_t>(i);
    }
    for (std::size_t i = leaves_; i-- > 1;) {
      nodes_[i] = nodes_[2 * i + 1].time < nodes_[2 * i].time ? nodes_[2 * i + 1] : nodes_[2 * i];
    }
  }
  return count_++;
}

std::uint32_t Fluids::add_clock() {
  clocks_.emplace_back();
  return static_cast<std::uint32_t>(clocks_.size() - 1);
}

void Fluids::enter(ChannelId channel_id, MessageId message, Bytes bytes, Time now) {
  Flow& flow = flows_[channel_id.index()];
  double count = flow.ahead;
  if (flow.clock != kNoClock) {
    clocks_[flow.clock].advance(now);
    count += flow.weight * clocks_[flow.clock].count;
  }
  marks_.push(flow.marks, Mark{count + static_cast<double>(bytes.count()), message});
  ++flow.messages;
  if (flow.clock != kNoClock && marks_.top(flow.marks).message == message) enlist(channel_id);
}

void Fluids::put_on(std::uint32_t clock_id, ChannelId channel_id, Time now) {
  Flow& flow = flows_[channel_id.index()];
  Clock& clock = clocks_[clock_id];
  take_off(flow, now);
  clock.advance(now);
  if (clock.flows++ == 0) {
    clock.count = 0;
    clock.entries.clear();
  }
  restart_large_count(clock_id, flow.weight);
  flow.clock = clock_id;
  flow.ahead -= flow.weight * clock.count;
  enlist(channel_id);
}

void Fluids::set_weight(ChannelId channel_id, double weight, Time now) {
  Flow& flow = flows_[channel_id.index()];
  if (flow.weight == weight) return;
  if (flow.clock == kNoClock) {
    flow.weight = weight;
    return;
  }
  Clock& clock = clocks_[flow.clock];
  clock.advance(now);
  restart_large_count(flow.clock, weight);
  flow.ahead += (flow.weight - weight) * clock.count;
  flow.weight = weight;
  enlist(channel_id);
}

/// Restarts a clock's count (the bytes that a message of weight 1 has moved) from 0 if the count is so large that
/// rounding would be too coarse for a channel with this weight. The count can become that large while only channels
/// with smaller weights use the clock.
void Fluids::restart_large_count(std::uint32_t clock_id, double weight) {
  constexpr double kFar = 0x1p33;
  Clock& clock = clocks_[clock_id];
  if (clock.count * weight <= kFar) return;
  std::erase_if(clock.entries, [this](const Entry& one) { return is_void(one); });
  for (Entry& entry : clock.entries) {
    Flow& flow = flows_[entry.channel.index()];
    flow.ahead += flow.weight * clock.count;
    entry.count = end_of_first(flow);
  }
  std::make_heap(clock.entries.begin(), clock.entries.end());
  clock.count = 0;
}

void Fluids::take_off(Flow& flow, Time now) {
  if (flow.clock == kNoClock) return;
  Clock& clock = clocks_[flow.clock];
  clock.advance(now);
  --clock.flows;
  make_stale(flow.clock);
  flow.ahead += flow.weight * clock.count;
  flow.clock = kNoClock;
  ++flow.entry;
}

void Fluids::set_rate(std::uint32_t clock_id, double rate, Time now) {
  Clock& clock = clocks_[clock_id];
  if (clock.rate == rate) return;
  STEPSIM_ASSERT(rate >= 0 && rate < std::numeric_limits<double>::infinity(), "bytes move at a finite rate");
  clock.advance(now);
  clock.rate = rate;
  make_stale(clock_id);
}

void Fluids::finish(std::uint32_t clock_id, Time now, std::vector<Ended>& ended) {
  Clock& clock = clocks_[clock_id];
  clock.advance(now);
  make_stale(clock_id);
  drop_void_entries(clock);
  if (clock.entries.empty()) return;
  // Ends the messages of the first entry even if rounding left a few of their bytes. Otherwise next_end() could return
  // `now` again and again.
  const double reached = std::max(clock.count + clock.rate / 2, clock.entries.front().count);
  while (!clock.entries.empty() && clock.entries.front().count <= reached) {
    end_messages(clock.entries.front().channel, reached, now, ended);
    drop_void_entries(clock);
  }
}

/// Ends the first message of a channel, and the channel's other messages whose last byte has moved when the count of
/// the channel's clock is `count`.
void Fluids::end_messages(ChannelId channel_id, double count, Time now, std::vector<Ended>& ended) {
  Flow& flow = flows_[channel_id.index()];
  do {
    ended.push_back({channel_id, marks_.top(flow.marks).message});
    marks_.pop(flow.marks);
    --flow.messages;
  } while (!flow.marks.empty() && end_of_first(flow) <= count);
  if (!flow.marks.empty()) {
    enlist(channel_id);
    return;
  }
  take_off(flow, now);
  flow.ahead = 0;
}

/// Returns the time at which the next message on this clock ends, rounded to a nanosecond, or Time::max() if no message
/// moves.
Time Fluids::next_end(std::uint32_t clock_id) {
  Clock& clock = clocks_[clock_id];
  clock.stale = false;
  drop_void_entries(clock);
  if (clock.entries.empty()) return Time::max();
  const double wait = std::max(0.0, (clock.entries.front().count - clock.count) / clock.rate);
  return wait < 0x1p62 ? later(clock.since, Duration{std::llround(wait)}) : kEndOfTime;
}

/// Adds an entry to the clock of the channel. The entry states when the channel's first message ends. The channel's
/// previous entry becomes void.
void Fluids::enlist(ChannelId channel_id) {
  constexpr std::size_t kFewVoid = 16;
  Flow& flow = flows_[channel_id.index()];
  Clock& clock = clocks_[flow.clock];
  const Entry entry{end_of_first(flow), channel_id, ++flow.entry};
  if (clock.entries.size() > std::size_t{2} * clock.flows + kFewVoid) {
    std::erase_if(clock.entries, [this](const Entry& one) { return is_void(one); });
    std::make_heap(clock.entries.begin(), clock.entries.end());
  }
  push(clock.entries, entry);
  make_stale(flow.clock);
}

void Fluids::drop_void_entries(Clock& clock) {
  while (!clock.entries.empty() && is_void(clock.entries.front())) pop(clock.entries);
}

void Fluids::make_stale(std::uint32_t clock) {
  if (!std::exchange(clocks_[clock].stale, true)) stale_.push_back(clock);
}

}  // namespace stepsim
