#include <algorithm>
#include <boost/heap/d_ary_heap.hpp>

#include "model/cost/network/channels.h"
#include "model/cost/network/network.h"

// Every link carries one message at a time, in the order in which their heads reach it. A waiting message is buffered
// before the link and does not block the links after it. Cut-through: the head continues to the next link one latency
// after it entered this one, and the tail follows at the rate of the slowest link so far.

namespace stepsim {
namespace {

/// A message in transit, and the time at which its head reaches a link.
struct Head {
  Time time;
  std::uint64_t number = 0;  ///< increasing; breaks ties in the order in which messages were handed over
  MessageId message;
  ChannelId channel;
  std::uint32_t hop = 0;
  Time tail{};  ///< the earliest time at which the tail can be here
  Bytes bytes;
  friend bool operator<(const Head& a, const Head& b) noexcept {
    return a.time != b.time ? a.time > b.time : a.number > b.number;
  }
};
// The kind and arity of the heap were chosen by measurement: docs/results/event-queue.csv.
using Heads = boost::heap::d_ary_heap<Head, boost::heap::arity<4>>;

class Fifo final : public ChannelNetwork {
 public:
  explicit Fifo(const Cluster& cluster) : ChannelNetwork(cluster), free_(cluster.links.size()) {}

  Passage start(MessageId message, ChannelId id, Bytes bytes, Time now) override {
    const Time ready = later(now, message_overhead());
    if (at(id).links.empty()) return {ready, ready};
    const Head head{ready, count_++, message, id, 0, ready, bytes};
    if (ready == now) return enter(head);
    heads_.push(head);
    return {};
  }

  Time next() override { return heads_.empty() ? Time::max() : heads_.top().time; }

  void advance(Time now, std::vector<Notification>& notifications) override {
    const auto first = static_cast<std::ptrdiff_t>(notifications.size());
    while (!heads_.empty() && heads_.top().time <= now) {
      const Head head = heads_.top();
      heads_.pop();
      const Passage passage = enter(head);
      if (passage.sent || passage.arrived) notifications.push_back({head.message, passage});
    }
    std::sort(notifications.begin() + first, notifications.end());
  }

  [[nodiscard]] std::optional<Duration> alone(ChannelId id, Bytes bytes) const override {
    Time head = later(Time{}, message_overhead());
    Time tail = head;
    for (const LinkId hop : at(id).links) {
      const Link& link = cluster().links[hop.index()];
      tail = later(std::max(later(head, transfer_time(bytes, link.goodput())), tail), link.latency);
      head = later(head, link.latency);
    }
    return tail - Time{};
  }
  [[nodiscard]] bool is_idle(Time now) const override { return heads_.empty() && all_free_ <= now; }

 private:
  /// Puts the message on the link that its head has reached, after the messages already there.
  Passage enter(Head head) {
    const Route& route = at(head.channel).links;
    const Link& link = cluster().links[route[head.hop].index()];
    Time& free = free_[route[head.hop].index()];
    const Time begin = std::max(head.time, free);
    free = std::max(later(begin, transfer_time(head.bytes, link.goodput())), head.tail);
    all_free_ = std::max(all_free_, free);
    Passage passage;
    if (head.hop == 0) passage.sent = free;
    head.time = later(begin, link.latency);
    head.tail = later(free, link.latency);
    if (++head.hop == route.size()) {
      passage.arrived = head.tail;
    } else {
      heads_.push(head);
    }
    return passage;
  }

  std::vector<Time> free_;  ///< for each link, the time from which it is free
  Time all_free_{};         ///< the latest time in free_
  Heads heads_;
  std::uint64_t count_ = 0;
};

}  // namespace

extern const NetworkModel fifo_network{
    .name = "fifo",
    .summary = "each link carries one message at a time, first come first served (cut-through)",
    .formula = "t = overhead + latency of the route + bytes / goodput of its narrowest link + waiting for links",
    .source = "store-and-forward queues with cut-through: Kermani and Kleinrock 1979, Virtual cut-through",
    .ignores = "simultaneous progress of messages on one link, and limits of buffers",
    .otherwise = "maxmin if large messages of several senders meet; loggp if CPUs are the limit",
    .make = [](const Cluster& cluster) -> std::unique_ptr<Network> { return std::make_unique<Fifo>(cluster); },
};

}  // namespace stepsim
