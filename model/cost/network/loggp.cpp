#include <algorithm>
#include <array>
#include <boost/heap/d_ary_heap.hpp>

#include "model/cost/network/channels.h"
#include "model/cost/network/network.h"

// Models messages by LogGP, with the arithmetic of LogGOPSim. An endpoint has one processor for sending, one for
// receiving, and a NIC with two sides. For a message of B bytes over a route of latency L whose narrowest link takes G
// per byte, with overhead o and gap g:
// - The message starts at time s, when its sender's processor and NIC are free. The processor is busy for o, the NIC
//   for g + (B - 1) G. The sender continues at s + o.
// - Its first byte is at the receiver at s + o + L.
// - Receiving starts at time r, when the receiving processor and NIC are free, in order of arrival. The processor is
//   busy until the message is complete at r + o + (B - 1) G, the NIC for g + (B - 1) G.
//
// docs/internals/models.md, "loggp", lists where LogGOPSim differs.

namespace stepsim {
namespace {

struct Arrival {
  Time time;
  std::uint64_t number = 0;  ///< increasing; breaks ties in the order in which messages were sent
  MessageId message;
  EndpointId to;
  Duration wire{};  ///< the time on the wire: (B - 1) G
  friend bool operator<(const Arrival& a, const Arrival& b) noexcept {
    return a.time != b.time ? a.time > b.time : a.number > b.number;
  }
};
// The kind and arity of the heap were chosen by measurement: docs/results/event-queue.csv.
using Arrivals = boost::heap::d_ary_heap<Arrival, boost::heap::arity<4>>;

/// The times from which one direction of an endpoint is free.
struct Side {
  Time processor{};
  Time nic{};

  /// Occupies the processor and the NIC from `ready`, or from when both are free if that is later. Returns the start.
  Time take(Time ready, Duration processor_busy, Duration nic_busy) noexcept {
    const Time begin = std::max({ready, processor, nic});
    processor = later(begin, processor_busy);
    nic = later(begin, nic_busy);
    return begin;
  }
};

constinit const NetworkParameterOf<Duration> kOverhead{{
    .key = "loggp.o",
    .json = "loggp_o_ns",
    .type = value::time("200ns"),
    .summary = "LogGP's overhead o of a message, at its sender and at its receiver",
    .default_value = Duration{},
}};
constinit const NetworkParameterOf<Duration> kGap{{
    .key = "loggp.g",
    .json = "loggp_g_ns",
    .type = value::time("200ns"),
    .summary = "LogGP's gap g between the messages of a NIC",
    .default_value = Duration{},
}};
constexpr std::array<const NetworkParameter*, 2> kLoggpParameters{&kOverhead, &kGap};

class LogGP final : public ChannelNetwork {
 public:
  explicit LogGP(const Cluster& cluster)
      : ChannelNetwork(cluster),
        overhead_(cluster.network[kOverhead]),
        gap_(cluster.network[kGap]),
        sending_(cluster.endpoints.size()),
        receiving_(cluster.endpoints.size()) {}

  Passage start(MessageId message, ChannelId id, Bytes bytes, Time now) override {
    const Channel& channel = at(id);
    const Time ready = later(now, message_overhead());
    if (channel.links.empty()) return {ready, ready};
    const Duration wire = channel.transfer(std::max(Bytes{}, bytes - Bytes{1}));
    const Time begin = sending_[channel.from.index()].take(ready, overhead_, gap_ + wire);
    const Time sent = later(begin, overhead_);
    arrivals_.push({later(sent, channel.route_latency), count_++, message, channel.to, wire});
    return {sent, {}};
  }

  Time next() override { return arrivals_.empty() ? Time::max() : arrivals_.top().time; }

  void advance(Time now, std::vector<Notification>& notifications) override {
    const auto first = static_cast<std::ptrdiff_t>(notifications.size());
    for (; !arrivals_.empty() && arrivals_.top().time <= now; arrivals_.pop()) {
      const Arrival& one = arrivals_.top();
      const Duration busy = overhead_ + one.wire;
      const Time begin = receiving_[one.to.index()].take(one.time, busy, gap_ + one.wire);
      notifications.push_back({one.message, {{}, later(begin, busy)}});
    }
    std::sort(notifications.begin() + first, notifications.end());
  }

 private:
  Duration overhead_;
  Duration gap_;
  std::vector<Side> sending_;    ///< indexed by endpoint
  std::vector<Side> receiving_;  ///< indexed by endpoint
  Arrivals arrivals_;
  std::uint64_t count_ = 0;
};

}  // namespace

extern const NetworkModel loggp_network{
    .name = "loggp",
    .summary = "CPUs and NICs of sender and receiver handle one message at a time; links have no limit",
    .formula =
        "t = o + L + (bytes - 1) G + o; NICs are busy for g + (bytes - 1) G, the sending CPU for o, the receiving CPU "
        "for o + (bytes - 1) G",
    .source = "Alexandrov et al. 1995, LogGP; Hoefler et al. 2010, LogGOPSim",
    .ignores = "contention on links between NICs, and rendezvous protocols",
    .otherwise = "maxmin if uplinks are shared or messages overlap; fifo for NICs without overheads",
    .parameters = kLoggpParameters,
    .sender_continues_when_sent = true,
    .sums_up_routes = true,
    .make = [](const Cluster& cluster) -> std::unique_ptr<Network> { return std::make_unique<LogGP>(cluster); },
};

}  // namespace stepsim
