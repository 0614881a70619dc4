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

/// Computes how long the steps of a replay take when each of them is repeated.
class Repeating {
 public:
  Repeating(const Capture& capture, const Timeline& timeline)
      : dag_(capture.dag), recording_(capture.recording), timeline_(timeline), steps_(capture.recording) {}

  std::optional<SteadyIteration> run() {
    if (!steps_.are_alike()) return std::nullopt;
    step_of_ = steps_of_tasks(dag_, recording_, steps_);
    if (!is_possible()) return std::nullopt;
    list_tasks();
    measure_lengths();
    SteadyIteration steady;
    std::vector<JobStep> repeated;
    for (JobStep step = 0; step < steps_.count(); ++step) {
      if (steps_.next_follows(step)) repeated.push_back(step);
    }
    steady.follows = !repeated.empty();
    if (!steady.follows) {
      repeated.resize(steps_.count());
      std::iota(repeated.begin(), repeated.end(), JobStep{0});
    }
    const bool alike = are_of_one_length(repeated);
    if (alike && last_is_as_long(repeated)) repeated.push_back(repeated.back() + 1);
    std::vector<Duration> paces;
    for (const JobStep step : repeated) {
      steady.cycles.push_back(cycle_of(step));
      paces.push_back(steady.cycles.back().pace);
    }
    steady.length = alike ? mean(paces) : midmean(std::move(paces));
    return steady;
  }

  [[nodiscard]] std::optional<Duration> recurrence_of(const std::vector<SteadyIteration::Cycle>& cycles) {
    step_of_ = steps_of_tasks(dag_, recording_, steps_);
    list_tasks();
    std::vector<Duration> medians;
    for (const SteadyIteration::Cycle& cycle : cycles) {
      const auto step = static_cast<JobStep>(cycle.step);
      if (!steps_.next_follows(step)) continue;
      const Counterparts next(dag_, tasks_[step + 1], tasks_[step]);
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
  [[nodiscard]] bool is_possible() const {
    bool device_work = false;
    for (std::size_t i = 0; i < step_of_.size(); ++i) {
      if (timeline_.finish[i] - Time{} > kLongest) return false;
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

  /// Sets lengths_, which do not depend on the replay.
  void measure_lengths() {
    Timeline recorded;
    recorded.start = recording_.start;
    recorded.finish = recording_.finish;
    lengths_.resize(steps_.count());
    for (const auto& [rank, times] : rank_steps(dag_, recording_, recorded)) {
      for (const TimedStep& step : times.steps) {
        Duration& longest = lengths_[steps_.of(static_cast<std::int32_t>(step.step))];
        longest = std::max(longest, step.time.measured);
      }
    }
    if (lengths_.front() != Duration{}) return;
    // The device limits the pace, so the first step has no length. Its device work tells how long it took.
    Interval first{Time::max(), Time::min()};
    for (const TaskId task : tasks_.front()) {
      if (!is_stream(dag_.lane(task))) continue;
      first = {std::min(first.begin, recording_.start[task.index()]),
               std::max(first.end, recording_.finish[task.index()])};
    }
    if (first.begin < first.end) lengths_.front() = first.end - first.begin;
  }

  /// True if the recorded steps took about equally long, so that each of them counts although changes may make them
  /// different: ranks may be late in turn.
  [[nodiscard]] bool are_of_one_length(const std::vector<JobStep>& steps) const {
    constexpr std::int64_t kAlike = 50;  // differences of less than this part
    const auto [least, most] = std::minmax_element(steps.begin(), steps.end(),
                                                   [this](JobStep a, JobStep b) { return lengths_[a] < lengths_[b]; });
    return lengths_[*most] - lengths_[*least] <= lengths_[*most] / kAlike;
  }

  /// True if another step follows `steps` and took as long as they: nothing else tells where it ended.
  [[nodiscard]] bool last_is_as_long(const std::vector<JobStep>& steps) const {
    constexpr std::int64_t kAlike = 200;  // differences of less than this part
    const JobStep last = steps.back() + 1;
    if (last == steps_.count() || !steps_.next_follows(last - 1)) return false;
    const Duration usual = midmean(std::vector(lengths_.begin() + steps.front(), lengths_.begin() + last));
    return std::chrono::abs(lengths_[last] - usual) <= usual / kAlike;
  }

  void list_tasks() {
    tasks_ = tasks_of_steps(step_of_, steps_.count());
    node_of_.resize(step_of_.size());
  }

  [[nodiscard]] SteadyIteration::Cycle cycle_of(JobStep step) {
    PeriodicGraph graph;
    RepeatedStep repetition(dag_, steps_, step_of_, tasks_, step);
    const std::vector<TaskId>& tasks = tasks_[step];
    for (const TaskId task : tasks) node_of_[task.index()] = graph.add_task(own_time(dag_, timeline_, task));
    repetition.for_each_wait([&](const RepeatedStep::Wait& wait) {
      const Duration time = delay(wait.source, dag_.target(wait.edge), wait.edge);
      if (wait.next_round) return graph.add_edge_to_next(node_of(wait.from), node_of(wait.to), time);
      graph.add_edge(node_of(wait.from), node_of(wait.to), time);
    });
    repetition.for_each_lane([&](LaneKind /*kind*/, TaskId back, TaskId front) {
      graph.add_edge_to_next(node_of(back), node_of(front), Duration{});
    });
    add_rendezvous(tasks, graph);
    watch(step, tasks, graph);
    const std::optional<PeriodicGraph::Cycle> found = graph.critical_cycle();
    SteadyIteration::Cycle cycle{.step = step};
    if (!found) return cycle;
    cycle.pace = found->mean();
    cycle.rounds = found->rounds;
    for (const Node node : found->tasks) cycle.tasks.push_back(tasks[node]);
    return cycle;
  }

  [[nodiscard]] Node node_of(TaskId task) const { return node_of_[task.index()]; }

  /// Returns an edge's lag, or the time from the end of `from` to the start of `to` in the replay if that is shorter.
  /// The result may be negative: a sender continues once its message has left, which is before the message ends.
  [[nodiscard]] Duration delay(TaskId from, TaskId to, EdgeId edge) const {
    return std::min(dag_.lag(edge), timeline_.start[to.index()] - timeline_.finish[from.index()]);
  }

  void add_rendezvous(const std::vector<TaskId>& tasks, PeriodicGraph& graph) const {
    std::vector<Node> members;
    for (const TaskId task : tasks) {
      const RendezvousId rendezvous = dag_.rendezvous(task);
      if (!rendezvous.valid() || dag_.members(rendezvous).front() != task) continue;
      members.clear();
      for (const TaskId member : dag_.members(rendezvous)) members.push_back(node_of(member));
      graph.add_rendezvous(members);
    }
  }

  /// Watches what shows how far a rank is: the start of its step, and its device work.
  void watch(JobStep step, const std::vector<TaskId>& tasks, PeriodicGraph& graph) const {
    for (const std::size_t part : steps_.parts(step)) {
      const TaskId first = recording_.steps[part].first;
      if (step_of_[first.index()] == step) graph.watch(node_of(first));
    }
    for (const TaskId task : tasks) {
      if (is_stream(dag_.lane(task))) graph.watch(node_of(task));
    }
  }

  const Dag& dag_;
  const Recording& recording_;
  const Timeline& timeline_;
  JobSteps steps_;
  std::vector<JobStep> step_of_;  ///< indexed by task
  TasksOfSteps tasks_;
  std::vector<Duration> lengths_;  ///< as measured, by step: that of its slowest rank
  std::vector<Node> node_of_;      ///< indexed by task, for the repeated steps
};

}  // namespace

std::optional<SteadyIteration> steady_iteration(const Capture& capture, const Timeline& timeline) {
  const std::vector<Lane>& lanes = capture.dag.lanes();
  const bool has_device = std::any_of(lanes.begin(), lanes.end(), is_stream);
  const bool has_steps = capture.recording.step.size() == timeline.size();
  if (!has_device || !has_steps || capture.recording.start.size() != timeline.size()) return std::nullopt;
  return Repeating(capture, timeline).run();
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
  return Repeating(capture, timeline).recurrence_of(steady.cycles);
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
