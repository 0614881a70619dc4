#include "sim/analysis/steady.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "model/base/median.h"
#include "model/rewrite/repeated_step.h"
#include "sim/analysis/activity.h"
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
