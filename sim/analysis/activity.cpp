#include "sim/analysis/activity.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "model/base/median.h"
#include "sim/analysis/critical_path.h"
#include "sim/analysis/intervals.h"

namespace stepsim::sim {
namespace {

/// Appends `interval`, or extends the last interval if `interval` begins where that one ends. This saves memory: most
/// of the millions of tasks follow the previous task of their lane without a gap. Empty intervals are left out.
void put(std::vector<Interval>& to, Interval interval) {
  if (interval.begin == interval.end) return;
  if (!to.empty() && to.back().end == interval.begin) {
    to.back().end = interval.end;
  } else {
    to.push_back(interval);
  }
}

/// Returns the middle half of the intervals by length, ordered by time.
std::vector<Interval> middle_half(std::vector<Interval> intervals) {
  std::stable_sort(intervals.begin(), intervals.end(),
                   [](Interval a, Interval b) { return a.end - a.begin < b.end - b.begin; });
  const auto left_out = static_cast<std::ptrdiff_t>(outside_middle_half(intervals.size()));
  intervals.erase(intervals.end() - left_out, intervals.end());
  intervals.erase(intervals.begin(), intervals.begin() + left_out);
  std::sort(intervals.begin(), intervals.end(), [](Interval a, Interval b) { return a.begin < b.begin; });
  return intervals;
}

}  // namespace

void Activity::add(const Dag& dag, const Timeline& timeline, TaskId task, Interval window) {
  const Interval whole{timeline.start[task.index()], timeline.finish[task.index()]};
  if (dag.rendezvous(task).valid()) {
    const Interval transfer = own_work(dag, timeline, task);
    put(collective_wait, clipped({whole.begin, transfer.begin}, window));
    put(communication, clipped(transfer, window));
    return;
  }
  switch (path_class_of(dag, task)) {
    case PathClass::kCompute: put(compute, clipped(whole, window)); break;
    case PathClass::kCommunication: put(communication, clipped(whole, window)); break;
    case PathClass::kCopy: put(copies, clipped(whole, window)); break;
    case PathClass::kLoader: put(loader, clipped(whole, window)); break;
    default: put(host, clipped(whole, window)); break;
  }
}

void append(std::vector<Interval>& to, const std::vector<Interval>& what) {
  to.insert(to.end(), what.begin(), what.end());
}

IterationParts iteration_parts(const Dag& dag, const Timeline& timeline, Rank rank, const RankSteps& steps) {
  const std::vector<Interval> windows =
      steps.iterations.empty() ? std::vector<Interval>{steps.window} : middle_half(steps.iterations);
  Activity activity;
  for (std::size_t i = 0; i < timeline.size(); ++i) {
    const TaskId task{i};
    if (dag.lane(task).rank != rank) continue;
    const auto behind_start = [&](const Interval& window) { return window.end <= timeline.start[i]; };
    auto window = std::partition_point(windows.begin(), windows.end(), behind_start);
    for (; window != windows.end() && window->begin < timeline.finish[i]; ++window)
      activity.add(dag, timeline, task, *window);
  }
  std::vector<Interval> all;
  Duration covered{};
  const auto count = static_cast<std::int64_t>(windows.size());
  const auto part = [&](const std::vector<Interval>& intervals) {
    append(all, intervals);
    const Duration before = std::exchange(covered, union_length(all));
    return (covered - before) / count;
  };
  IterationParts parts{.rank = rank};
  parts.compute = part(activity.compute);
  parts.communication = part(activity.communication);
  parts.copies = part(activity.copies);
  parts.collective_wait = part(activity.collective_wait);
  parts.loader = part(activity.loader);
  parts.host = part(activity.host);
  // The rest of the iteration, which is the mean length of the windows, rounded once.
  parts.idle = steps.iteration.replayed - parts.sum();
  return parts;
}

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
