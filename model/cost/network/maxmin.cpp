#include "model/cost/network/maxmin.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <optional>

#include "model/cost/network/channels.h"
#include "model/cost/network/fluids.h"
#include "model/cost/network/maxmin_solver.h"
#include "model/cost/network/network.h"

// Models messages as fluids that share links max-min fairly. A message first waits for the overhead of messages and,
// with Latency::kFirst, its route's latency. Then its bytes move at the rate that the solver computes.
//
// Messages limited by the same link move at the same rate per weight. Fluids therefore has one clock for each link,
// which counts the bytes that a message of weight 1 has moved. If sharing is not fair, the order of senders determines
// the weights (SenderQueues).

namespace stepsim {
namespace {

constexpr double kNanosecondsPerSecond = 1e9;

/// Messages that wait equally long before their bytes move. Their waits end in the order in which they began, so no
/// heap is needed.
struct Delay {
  struct Waiting {
    Time until;
    MessageId message;
    ChannelId channel;
    Bytes bytes;
  };
  Duration length{};
  std::size_t event = 0;  ///< index into MaxMin::events_
  std::deque<Waiting> waiting{};
};

std::vector<double> goodputs(const Cluster& cluster) {
  std::vector<double> rates;
  for (const Link& link : cluster.links) rates.push_back(link.goodput().bytes_per_second() / kNanosecondsPerSecond);
  return rates;
}

class MaxMin final : public ChannelNetwork {
 public:
  explicit MaxMin(const Cluster& cluster) : ChannelNetwork(cluster), solver_(goodputs(cluster)) {
    const double sharing = cluster.network[kSharing];
    if (sharing < 1) sender_queues_.emplace(sharing, cluster.links.size(), cluster.network[kSendersKeepTurn]);
    for (std::size_t i = 0; i < cluster.links.size(); ++i)
      clock_events_.push_back(add_event(true, fluids_.add_clock()));
  }

  ChannelId channel(EndpointId from, EndpointId to, Latency latency) override;
  Passage start(MessageId message, ChannelId channel_id, Bytes bytes, Time now) override;
  Time next() override;
  void advance(Time now, std::vector<Notification>& notifications) override;
  [[nodiscard]] std::optional<Duration> alone(ChannelId channel_id, Bytes bytes) const override;
  [[nodiscard]] bool is_idle(Time /*now*/) const override { return under_way_ == 0; }

 private:
  /// The owner of an event in events_: a clock of fluids_ or a delay.
  struct Source {
    bool is_clock = false;
    std::uint32_t index = 0;
  };
  /// Data of a channel that Channel does not contain.
  struct Flow {
    FlowClassId solved;       ///< invalid if the channel has no links
    std::uint32_t delay = 0;  ///< index of the delay of its messages
    double weight = 1;        ///< weight of each message
  };

  std::size_t add_event(bool is_clock, std::size_t index);
  std::uint32_t delay_of(const Channel& channel);
  void release(std::uint32_t delay_id, Time now);
  void enter(MessageId message, ChannelId channel_id, Bytes bytes, Time now);
  void finish(std::uint32_t clock, Time now, std::vector<Notification>& notifications);
  void weigh(ChannelId channel_id);
  void solve();

  MaxMinSolver solver_;
  Fluids fluids_;                    ///< its clocks are numbered like links
  std::vector<Flow> flows_;          ///< indexed by channel
  std::vector<ChannelId> of_class_;  ///< indexed by FlowClassId
  std::vector<Delay> delays_;
  std::optional<SenderQueues> sender_queues_;  ///< set only if sharing is not fair
  std::vector<std::size_t> clock_events_;      ///< for each clock, its index in events_
  std::vector<Source> sources_;                ///< indexed like events_
  std::vector<Fluids::Ended> ended_;           ///< used by one call at a time
  Earliest events_;
  Time now_{};                 ///< time of the last change
  std::size_t under_way_ = 0;  ///< messages that advance() has not reported completely
};

ChannelId MaxMin::channel(EndpointId from, EndpointId to, Latency latency) {
  const ChannelId id = ChannelNetwork::channel(from, to, latency);
  if (id.index() < flows_.size()) return id;
  const Channel& channel = at(id);
  Flow& flow = flows_.emplace_back();
  flow.delay = delay_of(channel);
  fluids_.add_channel();
  if (sender_queues_) sender_queues_->add_channel(channel);
  if (channel.links.empty()) return id;
  std::vector<std::uint32_t> route;
  for (const LinkId link : channel.links) route.push_back(link.value());
  flow.solved = solver_.add_class(route);
  of_class_.push_back(id);
  return id;
}

std::size_t MaxMin::add_event(bool is_clock, std::size_t index) {
  sources_.push_back({is_clock, static_cast<std::uint32_t>(index)});
  return events_.add();
}

std::uint32_t MaxMin::delay_of(const Channel& channel) {
  const Duration overhead = message_overhead();
  const Duration length = overhead + (channel.latency == Latency::kFirst ? channel.route_latency : Duration{});
  const auto found =
      std::find_if(delays_.begin(), delays_.end(), [=](const Delay& one) { return one.length == length; });
  const auto index = static_cast<std::uint32_t>(found - delays_.begin());
  if (found == delays_.end()) delays_.push_back({length, add_event(false, index)});
  return index;
}

Passage MaxMin::start(MessageId message, ChannelId channel_id, Bytes bytes, Time now) {
  const Channel& channel = at(channel_id);
  Delay& delay = delays_[flows_[channel_id.index()].delay];
  const Time begin = later(now, delay.length);
  if (channel.links.empty() || bytes == Bytes{}) {
    return {begin, channel.latency == Latency::kLast ? later(begin, channel.route_latency) : begin};
  }
  if (sender_queues_) sender_queues_->enter(channel_id, now);
  ++under_way_;
  now_ = now;
  if (begin == now) {
    enter(message, channel_id, bytes, now);
    return {};
  }
  delay.waiting.push_back({begin, message, channel_id, bytes});
  if (delay.waiting.size() == 1) events_.set(delay.event, begin);
  return {};
}

Time MaxMin::next() {
  solve();
  return events_.time();
}

void MaxMin::advance(Time now, std::vector<Notification>& notifications) {
  const auto first = static_cast<std::ptrdiff_t>(notifications.size());
  now_ = now;
  while (events_.time() <= now) {
    const Source source = sources_[events_.clock()];
    if (source.is_clock) {
      finish(source.index, now, notifications);
    } else {
      release(source.index, now);
    }
  }
  std::sort(notifications.begin() + first, notifications.end());
}

/// Starts the bytes of messages that have waited long enough.
void MaxMin::release(std::uint32_t delay_id, Time now) {
  Delay& delay = delays_[delay_id];
  for (; !delay.waiting.empty() && delay.waiting.front().until <= now; delay.waiting.pop_front()) {
    const Delay::Waiting& one = delay.waiting.front();
    enter(one.message, one.channel, one.bytes, now);
  }
  events_.set(delay.event, delay.waiting.empty() ? Time::max() : delay.waiting.front().until);
}

void MaxMin::enter(MessageId message, ChannelId channel_id, Bytes bytes, Time now) {
  fluids_.enter(channel_id, message, bytes, now);
  weigh(channel_id);
}

void MaxMin::finish(std::uint32_t clock, Time now, std::vector<Notification>& notifications) {
  events_.set(clock_events_[clock], Time::max());
  ended_.clear();
  fluids_.finish(clock, now, ended_);
  under_way_ -= ended_.size();
  for (const Fluids::Ended& one : ended_) {
    const Channel& channel = at(one.channel);
    const Time arrived = channel.latency == Latency::kLast ? later(now, channel.route_latency) : now;
    notifications.push_back({one.message, {now, arrived}});
    if (sender_queues_) sender_queues_->leave(one.channel);
    weigh(one.channel);
  }
}

/// Rounds the time to nanoseconds as fluids_ does, so that both give the same duration.
std::optional<Duration> MaxMin::alone(ChannelId channel_id, Bytes bytes) const {
  const Channel& channel = at(channel_id);
  const Duration delay = delays_[flows_[channel_id.index()].delay].length;
  const Duration rest = channel.latency == Latency::kLast ? channel.route_latency : Duration{};
  if (channel.links.empty() || bytes == Bytes{}) return delay + rest;
  const double rate = channel.narrowest.bytes_per_second() / kNanosecondsPerSecond;
  const double wait = static_cast<double>(bytes.count()) / rate;
  if (wait >= 0x1p60) return std::nullopt;
  return delay + Duration{std::llround(wait)} + rest;
}

/// Sets the current weight of a channel in the solver.
void MaxMin::weigh(ChannelId channel_id) {
  const Flow& flow = flows_[channel_id.index()];
  solver_.set_weight(flow.solved, static_cast<double>(fluids_.messages(channel_id)) * flow.weight);
}

void MaxMin::solve() {
  if (sender_queues_) {
    sender_queues_->settle();
    for (const ChannelId id : sender_queues_->settled()) {
      flows_[id.index()].weight = sender_queues_->weight(id);
      fluids_.set_weight(id, flows_[id.index()].weight, now_);
      weigh(id);
    }
  }
  solver_.solve();
  for (const std::uint32_t link : solver_.changed_links()) {
    const double level = solver_.level(link);
    fluids_.set_rate(link, level == MaxMinSolver::kNoLimit ? 0 : level, now_);
  }
  for (const FlowClassId moved : solver_.moved_classes()) {
    fluids_.put_on(solver_.bottleneck(moved), of_class_[moved.index()], now_);
  }
  fluids_.settle([this](std::uint32_t clock, Time end) { events_.set(clock_events_[clock], end); });
}

}  // namespace

constinit const NetworkParameterOf<double> kSharing{{
    .key = "sharing",
    .json = "sharing",
    .what_if = "sharing",
    .type = value::word("fair", 1) | value::word("serial", 0) | value::number(0, 1),
    .summary = "how senders share a link: fair = 1, serial (one at a time) = 0",
    .default_value = 1.0,
}};
constinit const NetworkParameterOf<bool> kSendersKeepTurn{{.default_value = false}};
constexpr std::array<const NetworkParameter*, 1> kMaxminParameters{&kSharing};

extern const NetworkModel maxmin_network{
    .name = "maxmin",
    .summary = "messages share links max-min fairly, after their latency (fluid model)",
    .formula =
        "t = overhead + latency of the route + bytes / rate, where the rate depends on the other messages in progress",
    .source = "Bertsekas and Gallager 1992, Data Networks, 6.5.2; Casanova et al. 2014, SimGrid",
    .ignores = "packets, switch queues, slow start, and the time until a transport finds its share",
    .otherwise = "fifo if a NIC sends one message at a time; alpha_beta for a quick bound without contention",
    .parameters = kMaxminParameters,
    .fairness =
        [](const Cluster& cluster) { return cluster.network[kSharing] == 1 ? Fairness::kAll : Fairness::kOneSender; },
    .make = [](const Cluster& cluster) -> std::unique_ptr<Network> { return std::make_unique<MaxMin>(cluster); },
};

}  // namespace stepsim
