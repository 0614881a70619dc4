#include "sim/analysis/steady.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "model/base/median.h"
#include "model/rewrite/job_steps.h"
#include "sim/analysis/activity.h"
#include "sim/analysis/periodic_graph.h"
#include "sim/analysis/rank_steps.h"

namespace stepsim::sim {
namespace {

using Node = PeriodicGraph::Node;

constexpr Duration kLongest = std::chrono::hours(24 * 365);

bool is_stream(const Lane& lane) { return lane.kind == LaneKind::kStream; }

/// Repeats steps of a replay.
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
    return SteadyIteration{median(std::move(paces)), any_follows};
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
    for (std::size_t i = 0; i < dag_.rendezvous_count(); ++i) {
      const auto members = dag_.members(RendezvousId{i});
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

  /// The first and the last task of a lane in the step that is repeated.
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

  /// An edge's lag, or less if the replay let the target start earlier: a sender goes on once its message has left.
  [[nodiscard]] Duration delay(TaskId from, TaskId to, EdgeId edge) const {
    return std::min(dag_.lag(edge), timeline_.start[to.index()] - timeline_.finish[from.index()]);
  }

  /// The task of `step` that does what `task` does in the next one; invalid if there is none.
  [[nodiscard]] TaskId counterpart(TaskId task, JobStep step) {
    if (!counterparts_) counterparts_.emplace(dag_, tasks_[step], tasks_[step + 1]);
    return counterparts_->of(task);
  }

  void add_edges(TaskId from, JobStep step, PeriodicGraph& graph) {
    for (std::size_t i = dag_.first_edge(from).index(); i < dag_.first_edge(TaskId{from.index() + 1}).index(); ++i) {
      const TaskId to = dag_.target(EdgeId{i});
      const JobStep there = step_of_[to.index()];
      if (there == step) {
        graph.add_edge(node_of(from), node_of(to), delay(from, to, EdgeId{i}));
      } else if (there == step + 1) {
        const bool along_lane = dag_.lane_id(from) == dag_.lane_id(to);
        const TaskId same = along_lane ? lanes_.at(dag_.lane_id(from)).first : counterpart(to, step);
        if (same.valid()) graph.add_edge_to_next(node_of(from), node_of(same), delay(from, to, EdgeId{i}));
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

  /// Threads and streams do the next round after this one.
  void add_lanes(PeriodicGraph& graph) const {
    for (const auto& [lane, ends] : lanes_) {
      const LaneKind kind = dag_.lane(lane).kind;
      if (kind == LaneKind::kThread || kind == LaneKind::kStream)
        graph.add_edge_to_next(node_of(ends.last), node_of(ends.first), Duration{});
    }
  }

  /// Of every rank, the start of its step and the completion of its device work.
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
  std::vector<JobStep> step_of_;            ///< by task
  std::vector<std::vector<TaskId>> tasks_;  ///< by step, ascending
  std::vector<Node> node_of_;               ///< by task; this and what follows is of the step that is repeated
  std::map<LaneId, LaneEnds> lanes_;
  std::optional<Counterparts> counterparts_;  ///< of the next step's tasks, once there is one to be found
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
                               &rank.collective_wait, &rank.host, &rank.idle, &rank.unexplained}) {
    *part = std::min(*part, iteration);
  }
  return rank;
}

}  // namespace stepsim::sim
