#include "sim/report/steady.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "model/base/median.h"
#include "sim/report/own_work.h"
#include "sim/report/periodic_graph.h"
#include "sim/report/rank_steps.h"

namespace stepsim::sim {
namespace {

using Index = std::uint32_t;
using Node = PeriodicGraph::Node;

constexpr Index kNone = std::numeric_limits<Index>::max();
constexpr Duration kLongest = std::chrono::hours(24 * 365);

bool is_stream(const Lane& lane) { return lane.kind == LaneKind::kStream; }

/// The steps of all ranks with one number, as one step of the job, in the order of their numbers.
class JobSteps {
 public:
  explicit JobSteps(const Recording& recording) : recording_(recording), of_step_(recording.steps.size(), kNone) {
    std::map<std::int64_t, Index> numbers;
    std::set<Rank> ranks;
    for (const RecordedStep& step : recording.steps) {
      if (!is_used(step)) continue;
      numbers.try_emplace(step.number, 0);
      ranks.insert(step.rank);
      marked_ = marked_ && step.marked;
    }
    for (auto& [number, index] : numbers) index = count_++;
    parts_.resize(count_);
    for (std::size_t i = 0; i < of_step_.size(); ++i) {
      if (!is_used(recording.steps[i])) continue;
      of_step_[i] = numbers[recording.steps[i].number];
      parts_[of_step_[i]].push_back(i);
    }
    alike_ = std::all_of(parts_.begin(), parts_.end(), [&](const auto& part) {
      std::set<Rank> here;
      for (const std::size_t one : part) here.insert(recording.steps[one].rank);
      return part.size() == ranks.size() && here == ranks;
    });
  }

  /// There are some, all marked, each with a part of every rank.
  [[nodiscard]] bool are_alike() const { return count_ > 0 && marked_ && alike_; }
  [[nodiscard]] Index count() const { return count_; }
  /// The job's step that a rank's step is part of; kNone if it is not used.
  [[nodiscard]] Index of(std::int32_t step) const {
    return step < 0 ? kNone : of_step_[static_cast<std::size_t>(step)];
  }
  /// Indices into Recording::steps.
  [[nodiscard]] const std::vector<std::size_t>& parts(Index step) const { return parts_[step]; }
  /// Whether the next one follows at once on every rank.
  [[nodiscard]] bool next_follows(Index step) const {
    return step + 1 < count_ && std::all_of(parts_[step].begin(), parts_[step].end(),
                                            [&](std::size_t part) { return recording_.steps[part].next_follows; });
  }

 private:
  const Recording& recording_;
  std::vector<Index> of_step_;
  std::vector<std::vector<std::size_t>> parts_;
  Index count_ = 0;
  bool marked_ = true;
  bool alike_ = true;
};

/// Which task of one step does what a task of another one does: that of its lane and name which comes as late.
class Counterparts {
 public:
  Counterparts(const Dag& dag, const std::vector<TaskId>& step, const std::vector<TaskId>& other)
      : dag_(dag), step_(in_order(dag, step)), other_(in_order(dag, other)) {}

  /// Invalid if there is none. Precondition: `task` is of the other step.
  [[nodiscard]] TaskId of(TaskId task) const {
    const Entry first = entry_of(dag_, task, TaskId{0U});
    const auto place = std::lower_bound(other_.begin(), other_.end(), entry_of(dag_, task, task)) -
                       std::lower_bound(other_.begin(), other_.end(), first);
    const auto here = std::lower_bound(step_.begin(), step_.end(), first);
    if (step_.end() - here <= place) return {};
    const TaskId same = std::get<TaskId>(here[place]);
    return entry_of(dag_, same, task) == entry_of(dag_, task, task) ? same : TaskId{};
  }

 private:
  using Entry = std::tuple<LaneId, NameId, TaskId>;

  static Entry entry_of(const Dag& dag, TaskId like, TaskId task) {
    return {dag.lane_id(like), dag.name_id(like), task};
  }
  static std::vector<Entry> in_order(const Dag& dag, const std::vector<TaskId>& tasks) {
    std::vector<Entry> entries;
    entries.reserve(tasks.size());
    for (const TaskId task : tasks) entries.push_back(entry_of(dag, task, task));
    std::sort(entries.begin(), entries.end());
    return entries;
  }

  const Dag& dag_;
  std::vector<Entry> step_;
  std::vector<Entry> other_;
};

/// Repeats steps of a replay.
class Repeating {
 public:
  Repeating(const Capture& capture, const Timeline& timeline)
      : dag_(capture.dag), recording_(capture.recording), timeline_(timeline), steps_(capture.recording) {}

  std::optional<SteadyIteration> run() {
    if (!steps_.are_alike()) return std::nullopt;
    assign_tasks();
    if (!is_possible()) return std::nullopt;
    list_tasks();
    bool any_follows = false;
    for (Index step = 0; step < steps_.count(); ++step) any_follows = any_follows || steps_.next_follows(step);
    std::vector<Duration> paces;
    for (Index step = 0; step < steps_.count(); ++step) {
      if (steps_.next_follows(step) == any_follows) paces.push_back(pace_of(step));
    }
    return SteadyIteration{median(std::move(paces)), any_follows};
  }

 private:
  /// Every task's step. One of no step is given to that of its latest predecessor if a step's task follows it.
  void assign_tasks() {
    std::vector<Index> follower(dag_.task_count(), kNone);  // the earliest step behind a task
    step_of_.resize(dag_.task_count());
    for (std::size_t i = dag_.task_count(); i-- > 0;) {
      step_of_[i] = steps_.of(recording_.step[i]);
      follower[i] = step_of_[i];
      if (recording_.step[i] >= 0) continue;
      for (const TaskId after : dag_.successors(TaskId{i}))
        follower[i] = std::min(follower[i], follower[after.index()]);
    }
    std::vector<Index> before(dag_.task_count(), kNone);  // the latest step in front of a task
    for (std::size_t i = 0; i < dag_.task_count(); ++i) {
      if (recording_.step[i] < 0 && before[i] != kNone && follower[i] != kNone) step_of_[i] = before[i];
      if (step_of_[i] == kNone) continue;
      for (const TaskId after : dag_.successors(TaskId{i})) {
        Index& latest = before[after.index()];
        if (latest == kNone || latest < step_of_[i]) latest = step_of_[i];
      }
    }
  }

  [[nodiscard]] bool is_possible() const {
    bool device_work = false;
    for (std::size_t i = 0; i < step_of_.size(); ++i) {
      if (timeline_.finish[i] - Time{} > kLongest) return false;
      if (step_of_[i] == kNone) continue;
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
      if (step_of_[i] != kNone) tasks_[step_of_[i]].emplace_back(i);
    }
    node_of_.resize(step_of_.size());
  }

  [[nodiscard]] Duration pace_of(Index step) {
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
  [[nodiscard]] TaskId counterpart(TaskId task, Index step) {
    if (!counterparts_) counterparts_.emplace(dag_, tasks_[step], tasks_[step + 1]);
    return counterparts_->of(task);
  }

  void add_edges(TaskId from, Index step, PeriodicGraph& graph) {
    for (std::size_t i = dag_.first_edge(from).index(); i < dag_.first_edge(TaskId{from.index() + 1}).index(); ++i) {
      const TaskId to = dag_.target(EdgeId{i});
      const Index there = step_of_[to.index()];
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
  void watch(Index step, const std::vector<TaskId>& tasks, PeriodicGraph& graph) const {
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
  std::vector<Index> step_of_;              ///< by task
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
