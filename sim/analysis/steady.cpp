#include "sim/analysis/steady.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "model/base/median.h"
#include "model/base/text.h"
#include "model/rewrite/repeated_step.h"
#include "sim/analysis/activity.h"
#include "sim/analysis/intervals.h"
#include "sim/analysis/periodic_graph.h"
#include "sim/analysis/rank_steps.h"

namespace stepsim::sim {

namespace {

using Node = PeriodicGraph::Node;

constexpr Duration kLongest = std::chrono::hours(24 * 365);

bool is_stream(const Lane& lane) { return lane.kind == LaneKind::kStream; }

/// True if the recorded steps took about equally long, so that each of them counts although changes may make them
/// different: ranks may be late in turn.
bool are_of_one_length(const std::vector<JobStep>& steps, const std::vector<Duration>& lengths) {
  constexpr std::int64_t kAlike = 50;  // differences of less than this part
  const auto [least, most] = std::minmax_element(steps.begin(), steps.end(),
                                                 [&lengths](JobStep a, JobStep b) { return lengths[a] < lengths[b]; });
  return lengths[*most] - lengths[*least] <= lengths[*most] / kAlike;
}

/// True if another step follows `repeated` and took as long as they: nothing else tells where it ended.
bool last_is_as_long(const JobSteps& steps, const std::vector<JobStep>& repeated,
                     const std::vector<Duration>& lengths) {
  constexpr std::int64_t kAlike = 200;  // differences of less than this part
  const JobStep last = repeated.back() + 1;
  if (last == steps.count() || !steps.next_follows(last - 1)) return false;
  const Duration usual = midmean(std::vector(lengths.begin() + repeated.front(), lengths.begin() + last));
  return std::chrono::abs(lengths[last] - usual) <= usual / kAlike;
}

/// True if steps of the capture can be repeated, as far as its lanes and its recording show.
bool may_repeat(const Capture& capture) {
  const std::vector<Lane>& lanes = capture.dag.lanes();
  const std::size_t tasks = capture.dag.task_count();
  return std::any_of(lanes.begin(), lanes.end(), is_stream) && capture.recording.step.size() == tasks &&
         capture.recording.start.size() == tasks;
}

}  // namespace

RepeatedSteps::RepeatedSteps(const Capture& capture)
    : dag_(capture.dag), recording_(capture.recording), steps_(capture.recording) {
  if (!may_repeat(capture) || !steps_.are_alike()) return;
  step_of_ = steps_of_tasks(dag_, recording_, steps_);
  if (!are_possible()) return;
  tasks_ = tasks_of_steps(step_of_, steps_.count());
  node_of_.resize(step_of_.size());
  for (const std::vector<TaskId>& tasks : tasks_) {
    for (std::size_t i = 0; i < tasks.size(); ++i) node_of_[tasks[i].index()] = static_cast<std::uint32_t>(i);
  }
  choose_steps();
}

bool RepeatedSteps::are_possible() const {
  bool device_work = false;
  for (std::size_t i = 0; i < step_of_.size(); ++i) {
    if (step_of_[i] == kNoJobStep) continue;
    const Lane& lane = dag_.lane(TaskId{i});
    if (lane.order != LaneOrder::kEdges) return false;
    device_work = device_work || is_stream(lane);
  }
  for (const RendezvousId rendezvous : dag_.all_rendezvous()) {
    const auto members = dag_.members(rendezvous);
    if (std::any_of(members.begin(), members.end(),
                    [&](TaskId member) { return step_of_[member.index()] != step_of_[members.front().index()]; }))
      return false;
  }
  return device_work;
}

/// Returns how long the steps took when they were recorded, by step: that of the slowest rank.
std::vector<Duration> RepeatedSteps::recorded_lengths() const {
  std::vector<Duration> lengths(steps_.count());
  Timeline recorded;
  recorded.start = recording_.start;
  recorded.finish = recording_.finish;
  for (const auto& [rank, times] : rank_steps(dag_, recording_, recorded)) {
    for (const TimedStep& step : times.steps) {
      Duration& longest = lengths[steps_.of(static_cast<std::int32_t>(step.step))];
      longest = std::max(longest, step.time.measured);
    }
  }
  if (lengths.front() != Duration{}) return lengths;
  // The device limits the pace, so the first step has no length. Its device work tells how long it took.
  Interval first{Time::max(), Time::min()};
  for (const TaskId task : tasks_.front()) {
    if (!is_stream(dag_.lane(task))) continue;
    first = {std::min(first.begin, recording_.start[task.index()]),
             std::max(first.end, recording_.finish[task.index()])};
  }
  if (first.begin < first.end) lengths.front() = first.end - first.begin;
  return lengths;
}

void RepeatedSteps::choose_steps() {
  std::vector<JobStep> repeated;
  for (JobStep step = 0; step < steps_.count(); ++step) {
    if (steps_.next_follows(step)) repeated.push_back(step);
  }
  follows_ = !repeated.empty();
  if (!follows_) {
    repeated.resize(steps_.count());
    std::iota(repeated.begin(), repeated.end(), JobStep{0});
  }
  const std::vector<Duration> lengths = recorded_lengths();
  alike_ = are_of_one_length(repeated, lengths);
  if (alike_ && last_is_as_long(steps_, repeated, lengths)) repeated.push_back(repeated.back() + 1);
  for (const JobStep number : repeated) {
    Step step{.number = number, .waits = {}, .lanes = {}};
    RepeatedStep repetition(dag_, steps_, step_of_, tasks_, number);
    repetition.for_each_wait([&](const RepeatedStep::Wait& wait) { step.waits.push_back(wait); });
    repetition.for_each_lane(
        [&](LaneKind /*kind*/, TaskId last, TaskId first) { step.lanes.emplace_back(last, first); });
    repeated_.push_back(std::move(step));
  }
}

/// Computes how long the steps of a replay take when each of them is repeated.
class RepeatedTimes {
 public:
  RepeatedTimes(const RepeatedSteps& steps, const Timeline& timeline)
      : of_(steps), dag_(steps.dag_), timeline_(timeline) {}

  std::optional<SteadyIteration> iteration() {
    if (of_.repeated_.empty() || takes_too_long()) return std::nullopt;
    SteadyIteration steady{.follows = of_.follows_};
    std::vector<Duration> paces;
    for (const RepeatedSteps::Step& step : of_.repeated_) {
      steady.cycles.push_back(cycle_of(step));
      paces.push_back(steady.cycles.back().pace);
    }
    steady.length = of_.alike_ ? mean(paces) : midmean(std::move(paces));
    return steady;
  }

  [[nodiscard]] std::optional<Duration> recurrence_of(const std::vector<SteadyIteration::Cycle>& cycles) const {
    std::vector<Duration> medians;
    for (const SteadyIteration::Cycle& cycle : cycles) {
      const auto step = static_cast<JobStep>(cycle.step);
      if (!of_.steps_.next_follows(step)) continue;
      const Counterparts next(dag_, of_.tasks_[step + 1], of_.tasks_[step]);
      std::vector<Duration> distances;
      for (const TaskId task : cycle.tasks) {
        const TaskId same = next.of(task);
        if (same.valid()) distances.push_back(timeline_.finish[same.index()] - timeline_.finish[task.index()]);
      }
      if (!distances.empty()) medians.push_back(median(std::move(distances)));
    }
    return medians.empty() ? std::nullopt : std::optional(midmean(std::move(medians)));
  }

 private:
  [[nodiscard]] bool takes_too_long() const {
    return std::any_of(timeline_.finish.begin(), timeline_.finish.end(),
                       [](Time finish) { return finish - Time{} > kLongest; });
  }

  [[nodiscard]] SteadyIteration::Cycle cycle_of(const RepeatedSteps::Step& step) {
    graph_.clear();
    const std::vector<TaskId>& tasks = of_.tasks_[step.number];
    for (const TaskId task : tasks) graph_.add_task(own_time(dag_, timeline_, task));
    for (const TaskId from : tasks) {
      for (const EdgeId edge : dag_.edges_from(from)) {
        const TaskId to = dag_.target(edge);
        if (of_.step_of_[to.index()] == step.number) graph_.add_edge(node_of(from), node_of(to), delay(from, to, edge));
      }
    }
    for (const RepeatedStep::Wait& wait : step.waits) {
      graph_.add_edge_to_next(node_of(wait.from), node_of(wait.to),
                              delay(wait.source, dag_.target(wait.edge), wait.edge));
    }
    for (const auto& [last, first] : step.lanes) graph_.add_edge_to_next(node_of(last), node_of(first), Duration{});
    add_rendezvous(tasks);
    watch(step.number, tasks);
    const std::optional<PeriodicGraph::Cycle> found = graph_.critical_cycle();
    SteadyIteration::Cycle cycle{.step = step.number};
    if (!found) return cycle;
    cycle.pace = found->mean();
    cycle.rounds = found->rounds;
    for (const Node node : found->tasks) cycle.tasks.push_back(tasks[node]);
    return cycle;
  }

  [[nodiscard]] Node node_of(TaskId task) const { return of_.node_of_[task.index()]; }

  /// Returns an edge's lag, or the time from the end of `from` to the start of `to` in the replay if that is shorter.
  /// The result may be negative: a sender continues once its message has left, which is before the message ends.
  [[nodiscard]] Duration delay(TaskId from, TaskId to, EdgeId edge) const {
    return std::min(dag_.lag(edge), timeline_.start[to.index()] - timeline_.finish[from.index()]);
  }

  void add_rendezvous(const std::vector<TaskId>& tasks) {
    std::vector<Node> members;
    for (const TaskId task : tasks) {
      const RendezvousId rendezvous = dag_.rendezvous(task);
      if (!rendezvous.valid() || dag_.members(rendezvous).front() != task) continue;
      members.clear();
      for (const TaskId member : dag_.members(rendezvous)) members.push_back(node_of(member));
      graph_.add_rendezvous(members);
    }
  }

  /// Watches what shows how far a rank is: the start of its step, and its device work.
  void watch(JobStep step, const std::vector<TaskId>& tasks) {
    for (const std::size_t part : of_.steps_.parts(step)) {
      const TaskId first = of_.recording_.steps[part].first;
      if (of_.step_of_[first.index()] == step) graph_.watch(node_of(first));
    }
    for (const TaskId task : tasks) {
      if (is_stream(dag_.lane(task))) graph_.watch(node_of(task));
    }
  }

  const RepeatedSteps& of_;
  const Dag& dag_;
  const Timeline& timeline_;
  PeriodicGraph graph_;  ///< of the step at hand
};

std::optional<SteadyIteration> RepeatedSteps::iteration(const Timeline& timeline) const {
  return RepeatedTimes(*this, timeline).iteration();
}

std::optional<SteadyIteration> steady_iteration(const Capture& capture, const Timeline& timeline) {
  return RepeatedSteps(capture).iteration(timeline);
}

std::vector<CyclePart> limits_of(const Dag& dag, const Timeline& timeline, const SteadyIteration& steady) {
  const auto typical = std::min_element(steady.cycles.begin(), steady.cycles.end(), [&](const auto& a, const auto& b) {
    return std::chrono::abs(a.pace - steady.length) < std::chrono::abs(b.pace - steady.length);
  });
  if (typical == steady.cycles.end() || typical->tasks.empty()) return {};
  std::map<LaneId, Duration> lanes;
  for (const TaskId task : typical->tasks) lanes[dag.lane_id(task)] += own_time(dag, timeline, task);
  std::vector<CyclePart> parts;
  Duration waiting = typical->pace;
  for (const auto& [lane, time] : lanes) {
    const Duration each = time / std::int64_t{typical->rounds};
    parts.push_back({dag.lane(lane).rank, dag.lane(lane).name, each});
    waiting -= each;
  }
  if (waiting > Duration{}) parts.push_back({std::nullopt, "waiting", waiting});
  std::stable_sort(parts.begin(), parts.end(), [](const CyclePart& a, const CyclePart& b) { return a.time > b.time; });
  return parts;
}

std::string to_text(const std::vector<CyclePart>& limits) {
  constexpr double kLeast = 0.05;  // share of the longest part
  std::string text;
  for (const CyclePart& part : limits) {
    if (ratio(part.time, limits.front().time) < kLeast) break;
    const std::string subject = part.rank ? fmt::format("rank {} {}", *part.rank, shown(part.of, 60)) : part.of;
    add_item(text, fmt::format("{} ({})", subject, stepsim::to_text(part.time)));
  }
  return text;
}

std::optional<Duration> recurrence_of(const Capture& capture, const Timeline& timeline, const SteadyIteration& steady) {
  return RepeatedTimes(RepeatedSteps(capture), timeline).recurrence_of(steady.cycles);
}

namespace {

/// Makes an iteration longer by `change`: by more idle time if it is positive, otherwise by less idle time and then by
/// less time that work of other steps takes, as far as there is any.
void take_slack(Duration change, Duration& idle, Duration& other_steps) {
  const Duration left = idle + change;
  idle = std::max(Duration{}, left);
  if (left < Duration{}) other_steps = std::max(Duration{}, other_steps + left);
}

}  // namespace

RankBreakdown at_pace(RankBreakdown rank, Duration iteration) {
  take_slack(iteration - rank.iteration, rank.idle, rank.other_steps);
  rank.iteration = iteration;
  for (Duration* const part :
       {&rank.compute, &rank.communication, &rank.exposed_communication, &rank.copies, &rank.collective_wait,
        &rank.loader, &rank.host, &rank.other_steps, &rank.idle, &rank.device_busy, &rank.unexplained}) {
    *part = std::min(*part, iteration);
  }
  return rank;
}

IterationParts at_pace(IterationParts parts, Duration iteration) {
  take_slack(iteration - parts.sum(), parts.idle, parts.other_steps);
  const Duration sum = parts.sum();
  if (sum <= iteration) return parts;
  Duration rest = iteration;
  Duration* longest = &parts.host;
  for (Duration* const part :
       {&parts.compute, &parts.communication, &parts.copies, &parts.collective_wait, &parts.loader, &parts.host}) {
    *part = Duration{std::llround(static_cast<double>(part->count()) * ratio(iteration, sum))};
    rest -= *part;
    if (*part > *longest) longest = part;
  }
  *longest += rest;  // what was rounded
  return parts;
}

}  // namespace stepsim::sim
