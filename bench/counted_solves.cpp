#include "bench/counted_solves.h"

#include <algorithm>
#include <utility>

namespace stepsim::bench {
namespace {

std::size_t most = 0;

class Counted final : public Network {
 public:
  explicit Counted(std::unique_ptr<Network> network) : network_(std::move(network)) { most = 0; }

  ChannelId channel(EndpointId from, EndpointId to, Latency latency) override {
    return network_->channel(from, to, latency);
  }
  Passage start(MessageId message, ChannelId channel, Bytes bytes, Time now) override {
    change(now);
    return network_->start(message, channel, bytes, now);
  }
  Time next() override {
    if (std::exchange(changed_, false)) most = std::max(most, ++solves_);
    return network_->next();
  }
  void advance(Time now, std::vector<Notification>& notifications) override {
    change(now);
    network_->advance(now, notifications);
  }

 private:
  void change(Time now) {
    if (std::exchange(now_, now) != now) solves_ = 0;
    changed_ = true;
  }

  std::unique_ptr<Network> network_;
  Time now_ = Time::min();
  std::size_t solves_ = 0;  ///< number of solves at now_
  bool changed_ = false;    ///< true if anything changed since the last solve
};

}  // namespace

const NetworkModel& counted_maxmin() {
  static const NetworkModel counted = [] {
    NetworkModel model = *find_network_model("maxmin");
    model.make = [](const Cluster& cluster) -> std::unique_ptr<Network> {
      return std::make_unique<Counted>(find_network_model("maxmin")->make(cluster));
    };
    return model;
  }();
  return counted;
}

std::size_t most_solves_of_an_instant() { return most; }

}  // namespace stepsim::bench
