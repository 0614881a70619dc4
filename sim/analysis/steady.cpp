#include "sim/analysis/steady.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "model/base/error.h"
#include "model/base/median.h"
#include "model/rewrite/repeated_step.h"
#include "sim/analysis/activity.h"
#include "sim/analysis/rank_steps.h"

namespace stepsim::sim {

namespace {

constexpr std::uint32_t kAlone = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t kFewestRounds = 3;
constexpr std::size_t kMostRounds = 64;

/// Returns the longest time by which a clock of a PeriodicGraph advanced between two rounds. `before` and `after`
/// contain the times that the clocks show in the two rounds.
Duration longest(const std::vector<Time>& before, const std::vector<Time>& after) {
  Duration result{};
  for (std::size_t i = 0; i < after.size(); ++i) result = std::max(result, after[i] - before[i]);
  return result;
}

/// True if each clock of a PeriodicGraph advanced by the same time in the last two rounds. `rounds` contains, for each
/// round, the time that each clock shows.
bool is_steady(const std::vector<std::vector<Time>>& rounds) {
  if (rounds.size() < kFewestRounds) return false;
  const std::vector<Time>& before = rounds[rounds.size() - 3];
  const std::vector<Time>& middle = rounds[rounds.size() - 2];
  const std::vector<Time>& last = rounds.back();
  for (std::size_t i = 0; i < last.size(); ++i) {
    if (last[i] - middle[i] != middle[i] - before[i]) return false;
  }
  return true;
}

}  // namespace

PeriodicGraph::Node PeriodicGraph::add_task(Duration duration) {
  duration_.push_back(duration);
  rendezvous_.push_back(kAlone);
  return static_cast<Node>(duration_.size() - 1);
}

void PeriodicGraph::add_edge(Node from, Node to, Duration delay) {
  STEPSIM_ASSERT(from < to, "an edge within a round leads to a later task");
  STEPSIM_ASSERT(edges_.empty() || edges_.back().from <= from, "edges are added by their source");
  while (first_edge_.size() <= from) first_edge_.push_back(edges_.size());
  edges_.push_back({from, to, delay});
}

void PeriodicGraph::add_rendezvous(std::span<const Node> members) {
  for (const Node member : members) rendezvous_[member] = static_cast<std::uint32_t>(members_.size());
  members_.emplace_back(members.begin(), members.end());
  std::sort(members_.back().begin(), members_.back().end());
}

void PeriodicGraph::end(Node task, Time finish, Round& round) const {
  round.finish[task] = finish;
  if (task >= first_edge_.size()) return;
  for (std::size_t i = first_edge_[task]; i < edges_.size() && edges_[i].from == task; ++i) {
    Time& start = round.start[edges_[i].to];
    start = std::max(start, finish + edges_[i].delay);
  }
}

/// Computes one round. On entry, `round` contains the times of the previous round, or is empty before the first one.
void PeriodicGraph::run(Round& round) const {
  const bool is_first = round.start.empty();
  round.start.assign(duration_.size(), Time{});
  if (is_first) round.finish.resize(duration_.size());
  for (const Edge& edge : next_) {
    if (is_first) break;
    Time& start = round.start[edge.to];
    start = std::max(start, round.finish[edge.from] + edge.delay);
  }
  for (Node task = 0; task < duration_.size(); ++task) {
    if (rendezvous_[task] == kAlone) {
      end(task, round.start[task] + duration_[task], round);
      continue;
    }
    const std::vector<Node>& members = members_[rendezvous_[task]];
    if (task != members.back()) continue;
    Time last = Time::min();
    for (const Node member : members) last = std::max(last, round.start[member]);
    for (const Node member : members) end(member, last + duration_[member], round);
  }
}

std::vector<Time> PeriodicGraph::shown_by_clocks(const Round& round) const {
  std::vector<Time> times(clocks_, Time::min());
  for (const Watched& one : watched_)
    times[one.clock] = std::max(times[one.clock], one.start ? round.start[one.task] : round.finish[one.task]);
  return times;
}

Duration PeriodicGraph::pace() const {
  Round round;
  std::vector<std::vector<Time>> rounds;
  while (rounds.size() < kMostRounds) {
    run(round);
    rounds.push_back(shown_by_clocks(round));
    if (is_steady(rounds)) return longest(rounds[rounds.size() - 2], rounds.back());
  }
  constexpr std::size_t kHalf = kMostRounds / 2;
  return longest(rounds[kHalf - 1], rounds.back()) / static_cast<std::int64_t>(kHalf);
}

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
    bool any_follows = false;
    for (JobStep step = 0; step < steps_.count(); ++step) any_follows = any_follows || steps_.next_follows(step);
    std::vector<Duration> paces;
    for (JobStep step = 0; step < steps_.count(); ++step) {
      if (steps_.next_follows(step) == any_follows) paces.push_back(pace_of(step));
    }
    return SteadyIteration{midmean(std::move(paces)), any_follows};
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

  void list_tasks() {
    tasks_.resize(steps_.count());
    for (std::size_t i = 0; i < step_of_.size(); ++i) {
      if (step_of_[i] != kNoJobStep) tasks_[step_of_[i]].emplace_back(i);
    }
    node_of_.resize(step_of_.size());
  }

  [[nodiscard]] Duration pace_of(JobStep step) {
    PeriodicGraph graph;
    const std::vector<TaskId>& tasks = tasks_[step];
    counterparts_.reset();
    find_lanes(tasks);
    for (const TaskId task : tasks) node_of_[task.index()] = graph.add_task(own_time(dag_, timeline_, task));
    for (const TaskId task : tasks) add_edges(task, step, graph);
    add_rendezvous(tasks, graph);
    add_lanes(graph);
    watch(step, tasks, graph);
    return graph.pace();
  }

  /// The first and the last task of a lane in the repeated step.
  struct LaneEnds {
    TaskId first;
    TaskId last;
  };

  void find_lanes(const std::vector<TaskId>& tasks) {
    lanes_.clear();
    for (const TaskId task : tasks)
      lanes_.try_emplace(dag_.lane_id(task), LaneEnds{task, task}).first->second.last = task;
  }

  [[nodiscard]] Node node_of(TaskId task) const { return node_of_[task.index()]; }

  /// Returns an edge's lag, or the time from the end of `from` to the start of `to` in the replay if that is shorter.
  /// The result may be negative: a sender continues once its message has left, which is before the message ends.
  [[nodiscard]] Duration delay(TaskId from, TaskId to, EdgeId edge) const {
    return std::min(dag_.lag(edge), timeline_.start[to.index()] - timeline_.finish[from.index()]);
  }

  /// Returns the task of `step` that does the same work as `task` of the next step; invalid if there is none.
  [[nodiscard]] TaskId counterpart(TaskId task, JobStep step) {
    if (!counterparts_) counterparts_.emplace(dag_, tasks_[step], tasks_[step + 1]);
    return counterparts_->of(task);
  }

  void add_edges(TaskId from, JobStep step, PeriodicGraph& graph) {
    for (const EdgeId edge : dag_.edges_from(from)) {
      const TaskId to = dag_.target(edge);
      const JobStep there = step_of_[to.index()];
      if (there == step) {
        graph.add_edge(node_of(from), node_of(to), delay(from, to, edge));
      } else if (there == step + 1) {
        const bool along_lane = dag_.lane_id(from) == dag_.lane_id(to);
        const TaskId same = along_lane ? lanes_.at(dag_.lane_id(from)).first : counterpart(to, step);
        if (same.valid()) graph.add_edge_to_next(node_of(from), node_of(same), delay(from, to, edge));
      }
    }
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

  /// Makes each thread and stream finish a round before it starts the next one.
  void add_lanes(PeriodicGraph& graph) const {
    for (const auto& [lane, ends] : lanes_) {
      const LaneKind kind = dag_.lane(lane).kind;
      if (kind == LaneKind::kThread || kind == LaneKind::kStream)
        graph.add_edge_to_next(node_of(ends.last), node_of(ends.first), Duration{});
    }
  }

  /// Adds two clocks per rank to `graph`: one for the start of the rank's step, one for the completion of its device
  /// work.
  void watch(JobStep step, const std::vector<TaskId>& tasks, PeriodicGraph& graph) const {
    for (const std::size_t part : steps_.parts(step)) {
      const TaskId first = recording_.steps[part].first;
      if (step_of_[first.index()] == step) graph.watch_start(graph.add_clock(), node_of(first));
    }
    std::map<Rank, std::size_t> completions;
    for (const TaskId task : tasks) {
      const Lane& lane = dag_.lane(task);
      if (!is_stream(lane)) continue;
      const auto [clock, is_new] = completions.try_emplace(lane.rank, 0);
      if (is_new) clock->second = graph.add_clock();
      graph.watch_end(clock->second, node_of(task));
    }
  }

  const Dag& dag_;
  const Recording& recording_;
  const Timeline& timeline_;
  JobSteps steps_;
  std::vector<JobStep> step_of_;            ///< indexed by task
  std::vector<std::vector<TaskId>> tasks_;  ///< indexed by step, ascending
  std::vector<Node> node_of_;               ///< indexed by task; this and the members below belong to the repeated step
  std::map<LaneId, LaneEnds> lanes_;
  std::optional<Counterparts> counterparts_;  ///< matches tasks of the next step and this one; set on first use
};

}  // namespace

std::optional<SteadyIteration> steady_iteration(const Capture& capture, const Timeline& timeline) {
  const std::vector<Lane>& lanes = capture.dag.lanes();
  const bool has_device = std::any_of(lanes.begin(), lanes.end(), is_stream);
  const bool has_steps = capture.recording.step.size() == timeline.size();
  if (!has_device || !has_steps || capture.recording.start.size() != timeline.size()) return std::nullopt;
  return Repeating(capture, timeline).run();
}

RankBreakdown at_pace(RankBreakdown rank, Duration iteration) {
  rank.idle = std::max(Duration{}, rank.idle + iteration - rank.iteration);
  rank.iteration = iteration;
  for (Duration* const part : {&rank.compute, &rank.communication, &rank.exposed_communication, &rank.copies,
                               &rank.collective_wait, &rank.loader, &rank.host, &rank.idle, &rank.unexplained}) {
    *part = std::min(*part, iteration);
  }
  return rank;
}

}  // namespace stepsim::sim
