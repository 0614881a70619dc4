#include "sim/analysis/link_use.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "sim/analysis/intervals.h"

namespace stepsim::sim {
namespace {

Duration time_alone(const Cluster& cluster, const Route& route, Bytes bytes) {
  Duration latency{};
  double seconds = 0;
  for (const LinkId id : route) {
    const Link& link = cluster.links[id.index()];
    latency += link.latency;
    seconds = std::max(seconds, static_cast<double>(bytes.count()) / link.goodput().bytes_per_second());
  }
  return latency + Duration{std::llround(seconds * 1e9)};
}

}  // namespace

std::vector<LinkUse> link_use(const Capture& capture, const Timeline& timeline, const Cluster& cluster) {
  const Dag& dag = capture.dag;
  std::vector<LinkUse> uses(cluster.links.size());
  std::vector<std::vector<Interval>> busy(uses.size());
  std::map<std::pair<EndpointId, EndpointId>, Route> routes;
  Time end{};
  for (std::size_t i = 0; i < dag.task_count(); ++i) {
    end = std::max(end, timeline.finish[i]);
    const Lane& lane = dag.lane(TaskId{i});
    if (!lane.is_link()) continue;
    const auto [slot, added] = routes.try_emplace({lane.from, lane.to});
    if (added) slot->second = cluster.route(lane.from, lane.to).value_or(Route{});
    const Duration taken = timeline.finish[i] - timeline.start[i];
    const Duration beyond = std::max(Duration{}, taken - time_alone(cluster, slot->second, dag.bytes(TaskId{i})));
    for (const LinkId link : slot->second) {
      busy[link.index()].push_back({timeline.start[i], timeline.finish[i]});
      uses[link.index()].queueing = saturated_sum(uses[link.index()].queueing, beyond);
    }
  }
  for (std::size_t i = 0; i < uses.size(); ++i) {
    uses[i].link = LinkId{i};
    if (end == Time{}) continue;
    const Duration covered = union_length(busy[i]);
    uses[i].busy = static_cast<double>(covered.count()) / static_cast<double>((end - Time{}).count());
  }
  return uses;
}

}  // namespace stepsim::sim
