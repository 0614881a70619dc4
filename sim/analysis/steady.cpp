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
    SteadyIteration steady;
    std::vector<Duration> paces;
    for (const auto& [first, last] : runs_of_typical_steps()) {
      steady.cycles.push_back(cycle_of(first, last, steady.follows));
      paces.insert(paces.end(), last - first + 1, steady.cycles.back().pace);
    }
    steady.length = mean(paces);
    return steady;
  }

  [[nodiscard]] std::optional<Duration> recurrence_of(const std::vector<SteadyIteration::Cycle>& cycles) {
    step_of_ = steps_of_tasks(dag_, recording_, steps_);
    list_tasks();
    std::map<JobStep, Counterparts> next;
    std::vector<Duration> medians;
    for (const SteadyIteration::Cycle& cycle : cycles) {
      std::vector<Duration> distances;
      for (const TaskId task : cycle.tasks) {
        const JobStep step = step_of_[task.index()];
        if (!steps_.next_follows(step)) continue;
        const TaskId same = next.try_emplace(step, dag_, tasks_[step + 1], tasks_[step]).first->second.of(task);
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

  /// Returns the steps to repeat, as runs of steps that follow each other: those whose measured length is typical, of
  /// those with a neighbour, if any has one.
  [[nodiscard]] std::vector<std::pair<JobStep, JobStep>> runs_of_typical_steps() const {
    const auto follows_another = [&](JobStep step) { return step > 0 && steps_.next_follows(step - 1); };
    std::vector<JobStep> steps;
    const bool work_between = any_work_between();
    for (JobStep step = 0; step < steps_.count(); ++step) {
      // What the job does after the last step was not captured.
      if (steps_.next_follows(step) || (follows_another(step) && !work_between)) steps.push_back(step);
    }
    if (steps.empty()) {
      steps.resize(steps_.count());
      std::iota(steps.begin(), steps.end(), JobStep{0});
    }
    const std::vector<Length> lengths = measured_lengths();
    std::vector<Duration> known;
    for (const JobStep step : steps) {
      if (!lengths[step].at_least) known.push_back(lengths[step].measured);
    }
    const TypicalLengths typical(std::move(known));
    std::vector<std::pair<JobStep, JobStep>> runs;
    for (const JobStep step : steps) {
      const auto& [length, at_least] = lengths[step];
      if (at_least ? typical.are_below(length) : !typical.contain(length)) continue;
      if (!runs.empty() && runs.back().second + 1 == step && follows_another(step)) {
        runs.back().second = step;
      } else {
        runs.emplace_back(step, step);
      }
    }
    return runs;
  }

  /// True if the job does something between the steps that belongs to no step.
  [[nodiscard]] bool any_work_between() const {
    for (std::size_t i = 0; i < step_of_.size(); ++i) {
      if (step_of_[i] != kNoJobStep && recording_.step[i] < 0) return true;
    }
    return false;
  }

  /// The measured length of a step of the job, that of its slowest rank.
  struct Length {
    Duration measured{};
    bool at_least = false;  ///< true if the device limits the pace, and only the host's part of the step is known
  };

  /// Returns the lengths by step. They do not depend on the replay.
  [[nodiscard]] std::vector<Length> measured_lengths() const {
    std::vector<Length> lengths(steps_.count());
    Timeline recorded;
    recorded.start = recording_.start;
    recorded.finish = recording_.finish;
    const auto note = [&](const std::vector<TimedStep>& timed, std::vector<bool>& is_known, bool at_least) {
      for (const TimedStep& step : timed) {
        if (at_least && is_known[step.step]) continue;
        is_known[step.step] = true;
        Length& longest = lengths[steps_.of(static_cast<std::int32_t>(step.step))];
        longest.measured = std::max(longest.measured, step.time.measured);
        longest.at_least = longest.at_least || at_least;
      }
    };
    std::vector<bool> is_known(recording_.steps.size());
    for (const auto& [rank, times] : rank_steps(dag_, recording_, recorded)) {
      note(times.steps, is_known, false);
      note(times.at_other_pace, is_known, true);
    }
    return lengths;
  }

  void list_tasks() {
    tasks_ = tasks_of_steps(step_of_, steps_.count());
    node_of_.resize(step_of_.size());
  }

  /// Repeats the steps from `first` to `last`. Sets `follows` if another captured step shows what the next round waits
  /// for.
  [[nodiscard]] SteadyIteration::Cycle cycle_of(JobStep first, JobStep last, bool& follows) {
    PeriodicGraph graph;
    RepeatedSteps repetition(dag_, steps_, step_of_, tasks_, first, last);
    follows = follows || repetition.follow();
    const std::vector<TaskId>& tasks = repetition.round();
    for (const TaskId task : tasks) node_of_[task.index()] = graph.add_task(own_time(dag_, timeline_, task));
    repetition.for_each_wait([&](const RepeatedSteps::Wait& wait) {
      const Duration time = delay(wait.source, dag_.target(wait.edge), wait.edge);
      if (wait.next_round) return graph.add_edge_to_next(node_of(wait.from), node_of(wait.to), time);
      graph.add_edge(node_of(wait.from), node_of(wait.to), time);
    });
    repetition.for_each_lane([&](LaneKind /*kind*/, TaskId back, TaskId front) {
      graph.add_edge_to_next(node_of(back), node_of(front), Duration{});
    });
    add_rendezvous(tasks, graph);
    watch(first, last, tasks, graph);
    std::optional<PeriodicGraph::Cycle> found = graph.critical_cycle();
    SteadyIteration::Cycle cycle;
    if (!found) return cycle;
    found->rounds *= last - first + 1;  // a round is so many steps
    cycle.pace = found->mean();
    cycle.steps = found->rounds;
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

  /// Watches what shows how far a rank is: the start of its steps, and its device work.
  void watch(JobStep first, JobStep last, const std::vector<TaskId>& tasks, PeriodicGraph& graph) const {
    for (JobStep step = first; step <= last; ++step) {
      for (const std::size_t part : steps_.parts(step)) {
        const TaskId start = recording_.steps[part].first;
        if (step_of_[start.index()] == step) graph.watch(node_of(start));
      }
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
  std::vector<Node> node_of_;  ///< indexed by task, for the repeated steps
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
    const Duration each = time / std::int64_t{typical->steps};
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
