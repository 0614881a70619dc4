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

/// Times below this come from rounding the means of the parts to nanoseconds.
constexpr Duration kRounding{8};

/// Appends `interval`, or extends the last interval if `interval` begins where that one ends. This saves memory: most
/// of the millions of tasks follow the previous task of their lane without a gap. Empty intervals are left out.
void append(Interval interval, std::vector<Interval>& to) {
  if (interval.begin == interval.end) return;
  if (!to.empty() && to.back().end == interval.begin) {
    to.back().end = interval.end;
  } else {
    to.push_back(interval);
  }
}

/// Returns when all bytes of a message have arrived. Its sender may have continued while some were still in buffers.
Time arrival(const Dag& dag, const Timeline& timeline, TaskId part) {
  Time end{};
  for (const TaskId member : dag.members(dag.rendezvous(part))) end = std::max(end, timeline.finish[member.index()]);
  return end;
}

/// Returns the middle half of the iterations by length, ordered by time.
std::vector<TimedStep> middle_half(std::vector<TimedStep> iterations) {
  std::stable_sort(iterations.begin(), iterations.end(),
                   [](const TimedStep& a, const TimedStep& b) { return a.time.replayed < b.time.replayed; });
  const auto left_out = static_cast<std::ptrdiff_t>(outside_middle_half(iterations.size()));
  iterations.erase(iterations.end() - left_out, iterations.end());
  iterations.erase(iterations.begin(), iterations.begin() + left_out);
  std::sort(iterations.begin(), iterations.end(),
            [](const TimedStep& a, const TimedStep& b) { return a.begin < b.begin; });
  return iterations;
}

}  // namespace

TypicalIterations::TypicalIterations(const RankSteps& steps, const Recording& recording) {
  if (steps.iterations.empty()) {
    iterations_.push_back(steps.window);
  } else if (!recording.step.empty()) {
    has_step_.resize(recording.steps.size());
  }
  for (const TimedStep& iteration : middle_half(steps.iterations)) {
    iterations_.push_back(iteration.replayed());
    if (by_step()) has_step_[iteration.step] = true;
  }
  for (const Interval& iteration : iterations_) length_ = saturated_sum(length_, iteration.end - iteration.begin);
}

void TypicalIterations::put(Interval interval, std::vector<Interval>& to) const {
  auto iteration = std::partition_point(iterations_.begin(), iterations_.end(),
                                        [&](const Interval& one) { return one.end <= interval.begin; });
  for (; iteration != iterations_.end() && iteration->begin < interval.end; ++iteration)
    append(clipped(interval, *iteration), to);
}

std::int32_t Activity::step_of(const Dag& dag, const Recording& recording, TaskId task) {
  const std::int32_t step = recording.step[task.index()];
  if (dag.lane(task).kind != LaneKind::kStream) return step;
  const auto [last, is_first] = last_step_.try_emplace(dag.lane_id(task), step);
  if (step >= 0) last->second = step;
  if (step >= 0 || last->second < 0) return step;
  return recording.steps[static_cast<std::size_t>(last->second)].next_follows ? last->second : -1;
}

void Activity::add(const Dag& dag, const Recording& recording, const Timeline& timeline, TaskId task) {
  const std::int32_t step = iterations.by_step() ? step_of(dag, recording, task) : -1;
  const bool by_time = !iterations.by_step() || (step < 0 && dag.lane(task).kind != LaneKind::kStream);
  const auto put = [&](Interval interval, Kind& kind) {
    append(interval, kind.all);
    if (by_time) {
      iterations.put(interval, kind.own);
    } else if (iterations.contain(step)) {
      append(interval, kind.own);
    }
  };
  const Interval whole{timeline.start[task.index()], timeline.finish[task.index()]};
  if (dag.lane(task).kind == LaneKind::kStream) {
    put(whole, device);
    iterations.put(whole, busy);
  }
  if (dag.rendezvous(task).valid()) {
    Interval transfer = own_work(dag, timeline, task);
    put({whole.begin, transfer.begin}, collective_wait);
    if (dag.collective(dag.rendezvous(task)).buffered > Bytes{}) transfer.end = arrival(dag, timeline, task);
    put(transfer, communication);
    return;
  }
  switch (path_class_of(dag, task)) {
    case PathClass::kCompute: put(whole, compute); break;
    case PathClass::kCommunication: put(whole, communication); break;
    case PathClass::kCopy: put(whole, copies); break;
    case PathClass::kLoader: put(whole, loader); break;
    default: put(whole, host); break;
  }
}

IterationParts iteration_parts(Rank rank, const Activity& activity, std::int64_t iterations) {
  const auto add = [](const std::vector<Interval>& what, std::vector<Interval>& to) {
    to.insert(to.end(), what.begin(), what.end());
  };
  std::vector<Interval> above;  // of the kinds above
  Duration rest = activity.iterations.length() / iterations;
  const auto part = [&](const Activity::Kind& kind) {
    if (kind.own.empty()) {
      add(kind.all, above);
      return Duration{};
    }
    const Duration covered = union_length(above);
    std::vector<Interval> with_own = above;
    add(kind.own, with_own);
    add(kind.all, above);
    const Duration time = std::min(rest, (union_length(with_own) - covered) / iterations);
    rest -= time;
    return time;
  };
  IterationParts parts{.rank = rank};
  parts.compute = part(activity.compute);
  parts.communication = part(activity.communication);
  parts.copies = part(activity.copies);
  parts.collective_wait = part(activity.collective_wait);
  parts.loader = part(activity.loader);
  parts.host = part(activity.host);
  // Device work of other iterations may run while the host works. Host work that it hides belongs to the host's part.
  std::vector<Interval> any;
  for (const Interval& interval : above) activity.iterations.put(interval, any);
  const Duration nothing_runs = std::min(rest, (activity.iterations.length() - union_length(any)) / iterations);
  std::vector<Interval> host = activity.host.own;
  const Duration hidden = std::min(rest - nothing_runs, union_length(host) / iterations - parts.host);
  parts.host += std::max(hidden, Duration{});
  parts.other_steps = rest - nothing_runs - std::max(hidden, Duration{});
  if (parts.other_steps < kRounding) parts.other_steps = {};
  parts.idle = rest - std::max(hidden, Duration{}) - parts.other_steps;
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
