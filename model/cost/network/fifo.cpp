#include <algorithm>
#include <boost/heap/d_ary_heap.hpp>

#include "model/cost/network/channels.h"
#include "model/cost/network/network.h"

// Every link carries one message at a time, in the order in which their heads reach it; a message
// that waits is kept in front of the link, and does not hold the links behind it. Cut-through: the
// head goes on to the next link a latency after it has entered this one, and the tail follows as
// fast as the slowest link so far lets it.

namespace stepsim {
namespace {

/// A message on its way: its head reaches a link.
struct Head {
  Time time;
  std::uint64_t number = 0;  ///< counted up: ties in the order in which they were handed over
  MessageId message;
  ChannelId channel;
  std::uint32_t hop = 0;
  Time tail{};  ///< when the tail is here at the earliest
  Bytes bytes;
  friend bool operator<(const Head& a, const Head& b) noexcept {
    return a.time != b.time ? a.time > b.time : a.number > b.number;
  }
};
// Kind and arity were measured: docs/performance.md, "Event queue".
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
  /// Puts the message on the link that its head has reached, behind what is there.
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

  std::vector<Time> free_;  ///< by link: from when on it is
  Time all_free_{};         ///< the latest of them
  Heads heads_;
  std::uint64_t count_ = 0;
};

}  // namespace

extern const NetworkModel fifo_network;
const NetworkModel fifo_network{
    .name = "fifo",
    .summary = "every link carries one message at a time, first come first served, cut-through",
    .formula = "t = overhead + latency of the route + bytes / goodput of its narrowest link + waiting for links",
    .source = "store-and-forward queues with cut-through: Kermani and Kleinrock 1979, Virtual cut-through",
    .ignores = "that messages which share a link advance together, and limits of buffers in front of links",
    .otherwise = "maxmin where large messages of several senders meet; loggp where processors are the limit",
    .make = [](const Cluster& cluster) -> std::unique_ptr<Network> { return std::make_unique<Fifo>(cluster); },
};

}  // namespace stepsim
