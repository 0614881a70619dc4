#include "ingest/stitch/trial/exchange_clocks.h"

#include <algorithm>
#include <optional>

#include "ingest/parts/byteps_names.h"

namespace stepsim::ingest {
namespace {

using Kind = MessageTrace::Kind;

/// (a, b) -> how far b's clock may be ahead of a's at most.
using Bounds = std::map<std::pair<Node, Node>, Duration>;

void tighten(Bounds& bounds, const Node& a, const Node& b, Duration most) {
  const auto [slot, added] = bounds.try_emplace({a, b}, most);
  if (!added) slot->second = std::min(slot->second, most);
}

Bounds bounds_of(const std::vector<Exchange>& exchanges) {
  Bounds bounds;
  const auto end = [](const Exchange::Message& message) { return message.start + message.duration; };
  for (const Exchange& exchange : exchanges) {
    const Node worker{false, exchange.worker};
    const Node server{true, exchange.server};
    const auto& push = exchange[Kind::kPushRequest];
    const auto& acknowledged = exchange[Kind::kPushResponse];
    const auto& pull = exchange[Kind::kPullRequest];
    const auto& answer = exchange[Kind::kPullResponse];
    if (push && acknowledged) tighten(bounds, worker, server, acknowledged->start - end(*push));
    if (acknowledged && pull) tighten(bounds, server, worker, pull->start - end(*acknowledged));
    if (pull && answer) tighten(bounds, worker, server, answer->start - end(*pull));
  }
  return bounds;
}

/// By node the sum of the bounds on the best chain from `first`; `forward`: how far the node's clock may be ahead of
/// the first one's, else the reverse.
std::map<Node, Duration> chained(const Bounds& bounds, const Node& first, bool forward) {
  constexpr int kLongestChain = 64;
  constexpr Duration kMost{kLatestTime};  // damaged times cannot make sums overflow
  std::map<Node, Duration> most{{first, Duration{}}};
  bool changed = true;
  for (int round = 0; changed && round < kLongestChain; ++round) {
    changed = false;
    for (const auto& [nodes, bound] : bounds) {
      const auto from = most.find(forward ? nodes.first : nodes.second);
      if (from == most.end()) continue;
      const Duration sum = std::clamp(from->second + std::clamp(bound, -kMost, kMost), -kMost, kMost);
      const auto [to, added] = most.try_emplace(forward ? nodes.second : nodes.first, sum);
      if (!added && sum >= to->second) continue;
      to->second = sum;
      changed = true;
    }
  }
  return most;
}

}  // namespace

std::map<Node, NodeClock> align_by_exchanges(const std::vector<Exchange>& exchanges) {
  std::map<Node, NodeClock> clocks;
  for (const Exchange& exchange : exchanges) {
    clocks[{false, exchange.worker}];
    clocks[{true, exchange.server}];
  }
  if (clocks.empty()) return clocks;
  const Node first = clocks.begin()->first;
  const Bounds bounds = bounds_of(exchanges);
  const std::map<Node, Duration> ahead = chained(bounds, first, true);
  const std::map<Node, Duration> behind = chained(bounds, first, false);
  for (auto& [node, clock] : clocks) {
    if (node == first) clock.known = true;
    const auto most = ahead.find(node);
    const auto least = behind.find(node);
    if (node == first || most == ahead.end() || least == behind.end()) continue;
    const Duration low = -least->second;
    const Duration high = most->second;
    const bool may_agree = low <= Duration{} && high >= Duration{};
    clock.offset = may_agree ? Duration{} : low + (high - low) / 2;
    clock.residual = std::max({clock.offset - low, high - clock.offset, Duration{}});
    clock.known = true;
  }
  return clocks;
}

}  // namespace stepsim::ingest
