#include "model/cost/network/channels.h"
#include "model/cost/network/network.h"

// A message of B bytes arrives alpha + B / beta after it is handed over. alpha is the overhead of a message plus the
// latency of its route; beta is the goodput of the route's narrowest link. The sender can hand over the next message
// when the bytes have left it, one latency before they arrive.

namespace stepsim {
namespace {

class AlphaBeta final : public ChannelNetwork {
 public:
  using ChannelNetwork::ChannelNetwork;

  Passage start(MessageId /*message*/, ChannelId id, Bytes bytes, Time now) override { return passage(id, bytes, now); }

  [[nodiscard]] std::optional<Duration> alone(ChannelId id, Bytes bytes) const override {
    return *passage(id, bytes, Time{}).arrived - Time{};
  }
  [[nodiscard]] bool is_idle(Time /*now*/) const override { return true; }

 private:
  [[nodiscard]] Passage passage(ChannelId id, Bytes bytes, Time now) const {
    const Channel& channel = at(id);
    const Time begun = later(now, message_overhead());
    const Time sent = later(begun, channel.transfer(bytes));
    return {sent, later(sent, channel.route_latency)};
  }
};

}  // namespace

extern const NetworkModel alpha_beta_network{
    .name = "alpha_beta",
    .summary = "each message alone: a latency and a bandwidth, no contention",
    .formula = "t = overhead + latency of the route + bytes / goodput of its narrowest link",
    .source = "Hockney 1994, The communication challenge for MPP",
    .ignores = "all contention: any number of messages cross a link at full rate",
    .otherwise = "maxmin if messages share links, fifo if a NIC sends one at a time",
    .independent = true,
    .fairness = [](const Cluster&) { return Fairness::kAll; },
    .sums_up_routes = true,
    .make = [](const Cluster& cluster) -> std::unique_ptr<Network> { return std::make_unique<AlphaBeta>(cluster); },
};

}  // namespace stepsim
