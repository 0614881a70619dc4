#include "sim/stats/transport_use.h"

#include <algorithm>

#include "sim/analysis/intervals.h"

namespace stepsim::sim {
namespace {

Duration time_of(const TransportUse& use) {
  Duration sum = use.channel_time;
  for (const TransportUse::Direction& way : {use.sent, use.received}) {
    for (const Duration part : {way.device, way.peer, way.network}) sum = saturated_sum(sum, part);
  }
  return sum;
}

}  // namespace

std::vector<RankTransport> transport_use(const TraceDetails& details) {
  std::vector<RankTransport> made;
  for (const auto& [rank, use] : details.transports) made.push_back({rank, use});
  std::stable_sort(made.begin(), made.end(), [](const RankTransport& a, const RankTransport& b) {
    return a.rank != b.rank ? a.rank < b.rank : time_of(a.use) > time_of(b.use);
  });
  return made;
}

}  // namespace stepsim::sim
