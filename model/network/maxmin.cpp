#include <algorithm>
#include <cmath>
#include <deque>
#include <utility>

#include "model/network/channels.h"
#include "model/network/earliest.h"
#include "model/network/lines.h"
#include "model/network/maxmin_solver.h"
#include "model/network/network.h"

// Messages as fluids that share links max-min fairly. A message waits for the overhead of messages
// and (Latency::kFirst) its route's latency, then its bytes move at the rate that the solver gives.
//
// All messages of a channel move alike, and so do all channels that the same link limits. So what
// is followed in time is one clock a link: the bytes that each message limited by it has moved. A
// channel knows how far its own count is ahead of that clock, and at which count each of its
// messages ends; a change of the link's level touches the clock, not the channels. Where sharing is
// not fair, channels of one link have rates of their own (Lines), and a clock each.

namespace stepsim {
namespace {

constexpr std::uint32_t kNone = 0xFFFFFFFFU;
constexpr double kNanoseconds = 1e9;

/// A message and the count of its channel at which its last byte has moved.
struct Mark {
  double count = 0;
  MessageId message;
  friend bool operator<(const Mark& a, const Mark& b) noexcept {
    return a.count != b.count ? a.count > b.count : a.message > b.message;
  }
};

/// The messages of a channel whose bytes move.
struct Flow {
  FlowClassId solved;           ///< invalid without links
  std::uint32_t delay = 0;      ///< the one that its messages wait
  std::uint32_t clock = kNone;  ///< none while no bytes move
  double weight = 1;            ///< of each message
  double ahead = 0;             ///< bytes moved by each message of the channel so far, less those of the clock
  std::uint32_t entry = 0;      ///< number of its entry in the clock; older ones are void
  std::vector<Mark> marks;      ///< a heap, the first end on top
};

/// The first end of a channel, by the count of its clock.
struct Entry {
  double count = 0;
  ChannelId channel;
  std::uint32_t number = 0;  ///< valid if it is Flow::entry
  friend bool operator<(const Entry& a, const Entry& b) noexcept {
    return a.count != b.count ? a.count > b.count : a.channel > b.channel;
  }
};

struct Clock {
  std::uint32_t event = 0;  ///< in MaxMin::events_
  double rate = 0;          ///< bytes a nanosecond
  double count = 0;         ///< bytes, at `since`
  Time since{};
  std::uint32_t flows = 0;
  bool stale = false;          ///< its next end is to be worked out again
  std::vector<Entry> entries;  ///< a heap, the first end on top

  void advance(Time now) noexcept {
    count += rate * static_cast<double>((now - since).count());
    since = now;
  }
  /// Counts from 0: no channel refers to it.
  void restart(Time now) noexcept {
    count = 0;
    since = now;
    entries.clear();
  }
  /// When the count will be reached, to the nearest nanosecond.
  [[nodiscard]] Time when(double target) const noexcept {
    const double wait = std::max(0.0, (target - count) / rate);
    return wait < 0x1p62 ? later(since, Duration{std::llround(wait)}) : kEndOfTime;
  }
};

/// Messages that wait the same time before their bytes move, in order.
struct Delay {
  std::uint32_t event = 0;  ///< in MaxMin::events_
  struct Waiting {
    Time until;
    MessageId message;
    ChannelId channel;
    Bytes bytes;
  };
  Duration length{};
  std::deque<Waiting> waiting;
};

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

std::vector<double> goodputs(const Cluster& cluster) {
  std::vector<double> rates;
  for (const Link& link : cluster.links) rates.push_back(link.goodput().bytes_per_second() / kNanoseconds);
  return rates;
}

class MaxMin final : public Network {
 public:
  explicit MaxMin(const Cluster& cluster) : channels_(cluster), solver_(goodputs(cluster)) {
    const double sharing = cluster.network.sharing;
    if (sharing < 1) lines_.emplace(sharing, cluster.links.size());
    for (std::size_t i = 0; !lines_ && i < cluster.links.size(); ++i) add_clock();
  }

  ChannelId channel(EndpointId from, EndpointId to, Latency latency) override;
  Passage start(MessageId message, ChannelId channel, Bytes bytes, Time now) override;
  Time next() override;
  void advance(Time now, std::vector<Told>& told) override;

 private:
  std::uint32_t add_event(bool of_clock, std::size_t index);
  std::uint32_t add_clock();
  std::uint32_t delay_of(const Channel& channel);
  void release(std::uint32_t delay, Time now);
  void enter(MessageId message, ChannelId channel, Bytes bytes, Time now);
  void finish(std::uint32_t clock, Time now, std::vector<Told>& told);
  void end_messages(ChannelId channel, double count, Time now, std::vector<Told>& told);
  void solve();
  void weigh(ChannelId channel);
  void set_rates();
  void set_rate(std::uint32_t clock, double rate);
  void attach(ChannelId channel, std::uint32_t clock);
  void detach(Flow& flow);
  void enlist(ChannelId channel);
  void drop_void_entries(Clock& clock);
  void set_event(std::uint32_t clock);
  void make_stale(std::uint32_t clock);

  Channels channels_;
  MaxMinSolver solver_;
  std::vector<Flow> flows_;          ///< by channel
  std::vector<ChannelId> of_class_;  ///< by FlowClassId
  std::vector<Clock> clocks_;        ///< by link; by channel where sharing is not fair
  std::vector<Delay> delays_;
  std::optional<Lines> lines_;        ///< where sharing is not fair
  std::vector<std::uint32_t> stale_;  ///< clocks
  struct Source {
    bool of_clock = false;
    std::uint32_t index = 0;
  };
  std::vector<Source> sources_;  ///< by number in events_
  Earliest events_;
  Time now_{};  ///< of the last change
};

ChannelId MaxMin::channel(EndpointId from, EndpointId to, Latency latency) {
  const ChannelId id = channels_.find(from, to, latency);
  if (id.index() < flows_.size()) return id;
  Flow& flow = flows_.emplace_back();
  const Channel& channel = channels_[id];
  flow.delay = delay_of(channel);
  if (lines_) {
    lines_->add_channel(channel);
    add_clock();
  }
  if (channel.links.empty()) return id;
  std::vector<std::uint32_t> route;
  for (const LinkId link : channel.links) route.push_back(link.value());
  flow.solved = solver_.add_class(route);
  of_class_.push_back(id);
  return id;
}

std::uint32_t MaxMin::add_event(bool of_clock, std::size_t index) {
  sources_.push_back({of_clock, static_cast<std::uint32_t>(index)});
  return static_cast<std::uint32_t>(events_.add());
}

std::uint32_t MaxMin::add_clock() {
  const auto id = static_cast<std::uint32_t>(clocks_.size());
  clocks_.emplace_back().event = add_event(true, id);
  return id;
}

std::uint32_t MaxMin::delay_of(const Channel& channel) {
  const Duration overhead = channels_.cluster().network.message_overhead;
  const Duration length = overhead + (channel.latency == Latency::kFirst ? channel.route_latency : Duration{});
  for (std::size_t i = 0; i < delays_.size(); ++i) {
    if (delays_[i].length == length) return static_cast<std::uint32_t>(i);
  }
  delays_.push_back({add_event(false, delays_.size()), length, {}});
  return static_cast<std::uint32_t>(delays_.size() - 1);
}

Passage MaxMin::start(MessageId message, ChannelId id, Bytes bytes, Time now) {
  const Channel& channel = channels_[id];
  Delay& delay = delays_[flows_[id.index()].delay];
  const Time begin = later(now, delay.length);
  if (channel.links.empty() || bytes == Bytes{}) {
    return Passage{begin, channel.latency == Latency::kLast ? later(begin, channel.route_latency) : begin};
  }
  if (lines_) lines_->enter(id, now);
  now_ = now;
  if (begin == now) {
    enter(message, id, bytes, now);
    return {};
  }
  delay.waiting.push_back({begin, message, id, bytes});
  if (delay.waiting.size() == 1) events_.set(delay.event, begin);
  return {};
}

Time MaxMin::next() {
  solve();
  return events_.time();
}

void MaxMin::advance(Time now, std::vector<Told>& told) {
  const auto first = static_cast<std::ptrdiff_t>(told.size());
  while (events_.time() <= now) {
    const Source source = sources_[events_.clock()];
    if (source.of_clock) {
      finish(source.index, now, told);
    } else {
      release(source.index, now);
    }
  }
  std::sort(told.begin() + first, told.end(), [](const Told& a, const Told& b) { return a.message < b.message; });
}

/// Lets the bytes of those move who have waited long enough.
void MaxMin::release(std::uint32_t id, Time now) {
  std::deque<Delay::Waiting>& waiting = delays_[id].waiting;
  while (!waiting.empty() && waiting.front().until <= now) {
    const Delay::Waiting& one = waiting.front();
    enter(one.message, one.channel, one.bytes, now);
    waiting.pop_front();
  }
  events_.set(delays_[id].event, waiting.empty() ? Time::max() : waiting.front().until);
}

void MaxMin::enter(MessageId message, ChannelId id, Bytes bytes, Time now) {
  now_ = now;
  Flow& flow = flows_[id.index()];
  double count = flow.ahead;
  if (flow.clock != kNone) {
    clocks_[flow.clock].advance(now);
    count += clocks_[flow.clock].count;
  }
  push(flow.marks, Mark{count + static_cast<double>(bytes.count()), message});
  if (flow.clock != kNone && flow.marks.front().message == message) enlist(id);
  weigh(id);
}

/// The solver's weight of a channel.
void MaxMin::weigh(ChannelId id) {
  const Flow& flow = flows_[id.index()];
  solver_.set_weight(flow.solved, static_cast<double>(flow.marks.size()) * flow.weight);
}

/// Ends what ends within half a nanosecond of now: the event was rounded to a whole one.
void MaxMin::finish(std::uint32_t id, Time now, std::vector<Told>& told) {
  now_ = now;
  Clock& clock = clocks_[id];
  clock.advance(now);
  drop_void_entries(clock);
  const double reached = std::max(clock.count + clock.rate / 2, clock.entries.front().count);
  while (!clock.entries.empty() && clock.entries.front().count <= reached) {
    const ChannelId channel = clock.entries.front().channel;
    end_messages(channel, reached, now, told);
    drop_void_entries(clock);
  }
  events_.set(clock.event, Time::max());
  make_stale(id);
}

/// Ends the messages of a channel up to a count of its clock.
void MaxMin::end_messages(ChannelId id, double count, Time now, std::vector<Told>& told) {
  Flow& flow = flows_[id.index()];
  const Channel& channel = channels_[id];
  const Time arrived = channel.latency == Latency::kLast ? later(now, channel.route_latency) : now;
  do {
    told.push_back({flow.marks.front().message, {now, arrived}});
    pop(flow.marks);
    if (lines_) lines_->leave(id);
  } while (!flow.marks.empty() && flow.marks.front().count - flow.ahead <= count);
  weigh(id);
  if (flow.marks.empty()) {
    detach(flow);
    flow.ahead = 0;
  } else {
    enlist(id);
  }
}

void MaxMin::solve() {
  if (lines_) {
    for (const ChannelId id : lines_->settle()) {
      flows_[id.index()].weight = lines_->weight(id);
      weigh(id);
    }
  }
  solver_.solve();
  set_rates();
  for (const std::uint32_t clock : stale_) set_event(clock);
  stale_.clear();
}

void MaxMin::set_rates() {
  if (lines_) {
    for (std::uint32_t id = 0; id < flows_.size(); ++id) {
      Flow& flow = flows_[id];
      if (flow.marks.empty()) continue;
      if (flow.clock == kNone) attach(ChannelId{id}, id);
      set_rate(id, flow.weight * solver_.level(flow.solved));
    }
    return;
  }
  for (const std::uint32_t link : solver_.changed_links()) {
    set_rate(link, solver_.level(link) == MaxMinSolver::kNoLimit ? 0 : solver_.level(link));
  }
  for (const FlowClassId moved : solver_.moved_classes()) {
    const ChannelId id = of_class_[moved.index()];
    detach(flows_[id.index()]);
    attach(id, solver_.bottleneck(moved));
  }
}

void MaxMin::set_rate(std::uint32_t id, double rate) {
  Clock& clock = clocks_[id];
  if (clock.rate == rate) return;
  clock.advance(now_);
  clock.rate = rate;
  make_stale(id);
}

void MaxMin::attach(ChannelId id, std::uint32_t clock_id) {
  Flow& flow = flows_[id.index()];
  Clock& clock = clocks_[clock_id];
  if (clock.flows++ == 0) clock.restart(now_);
  clock.advance(now_);
  flow.clock = clock_id;
  flow.ahead -= clock.count;
  enlist(id);
}

void MaxMin::detach(Flow& flow) {
  if (flow.clock == kNone) return;
  Clock& clock = clocks_[flow.clock];
  clock.advance(now_);
  make_stale(flow.clock);
  --clock.flows;
  flow.ahead += clock.count;
  flow.clock = kNone;
  ++flow.entry;
}

/// Puts the channel's first end into its clock, in place of what was there.
void MaxMin::enlist(ChannelId id) {
  Flow& flow = flows_[id.index()];
  push(clocks_[flow.clock].entries, Entry{flow.marks.front().count - flow.ahead, id, ++flow.entry});
  make_stale(flow.clock);
}

void MaxMin::drop_void_entries(Clock& clock) {
  const auto is_void = [this](const Entry& entry) { return flows_[entry.channel.index()].entry != entry.number; };
  while (!clock.entries.empty() && is_void(clock.entries.front())) pop(clock.entries);
}

void MaxMin::make_stale(std::uint32_t clock) {
  if (std::exchange(clocks_[clock].stale, true)) return;
  stale_.push_back(clock);
}

void MaxMin::set_event(std::uint32_t id) {
  Clock& clock = clocks_[id];
  clock.stale = false;
  drop_void_entries(clock);
  events_.set(clock.event, clock.entries.empty() ? Time::max() : clock.when(clock.entries.front().count));
}

}  // namespace

extern const NetworkModel maxmin_network;
const NetworkModel maxmin_network{
    .name = "maxmin",
    .summary = "messages are fluids that share links max-min fairly, latency first and then bytes",
    .formula = "t = overhead + latency of the route + bytes / rate, where the rate changes with what else is under way",
    .source = "Bertsekas and Gallager 1992, Data Networks, 6.5.2; Casanova et al. 2014, SimGrid",
    .ignores = "packets, queues in switches, slow start, and how long a transport takes to find its share",
    .otherwise = "fifo where a NIC sends one message at a time; alpha_beta for a quick bound without contention",
    .make = [](const Cluster& cluster) -> std::unique_ptr<Network> { return std::make_unique<MaxMin>(cluster); },
};

}  // namespace stepsim
