#include "sim/analysis/longest_path.h"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include "sim/analysis/activity.h"

namespace stepsim::sim {
namespace {

/// Returns the tasks sorted by start. Each task then comes after the tasks that it waited for, because a task starts no
/// earlier than the tasks that released it.
std::vector<TaskId> in_order_of_time(const Timeline& timeline) {
  std::vector<TaskId> order;
  order.reserve(timeline.size());
  for (std::size_t i = 0; i < timeline.size(); ++i) order.emplace_back(i);
  std::sort(order.begin(), order.end(), [&timeline](TaskId a, TaskId b) {
    const auto key = [&timeline](TaskId task) {
      return std::tuple{timeline.start[task.index()], timeline.finish[task.index()], task};
    };
    return key(a) < key(b);
  });
  return order;
}

/// Computes when each task would end if a set of tasks did not wait for other sets, and which task would release it.
class Alone {
 public:
  Alone(const Dag& dag, const Timeline& timeline, const TaskSets& set_of)
      : dag_(dag), timeline_(timeline), set_of_(set_of), ready_(dag.task_count()), finish_(dag.task_count()) {
    after_.resize(dag.task_count());
    via_.resize(dag.task_count());
    arrived_.resize(dag.task_count());
    by_lane_.resize(dag.task_count(), false);
    std::vector<std::size_t> arrived(dag.rendezvous_count());
    for (const TaskId task : in_order_of_time(timeline)) {
      wait_for_lane(task);
      const RendezvousId rendezvous = dag.rendezvous(task);
      if (set_of[task.index()] == kServesAll) {
        serve(task);
      } else if (!rendezvous.valid()) {
        end(task, task);
      } else if (++arrived[rendezvous.index()] == dag.members(rendezvous).size()) {
        end_all(dag.members(rendezvous));
      }
    }
  }

  /// Returns the path to `last`, computed backwards from its end.
  [[nodiscard]] CriticalPath path_to(TaskId last) const {
    CriticalPath path;
    Time finished = finish_[last.index()];
    for (TaskId task = last; task.valid();) {
      const TaskId arrived = arrived_of(task);
      const TaskId before = after_[arrived.index()];
      PathTask step;
      step.task = task;
      step.start = std::min(ready_[arrived.index()], finished);
      step.duration = finished - step.start;
      if (arrived != task) step.last_arrival = arrived;
      if (before.valid()) {
        step.release = {by_lane_[arrived.index()] ? Release::By::kLane : Release::By::kEdge, via_[arrived.index()]};
        finished = std::min(finish_[before.index()], step.start);
        step.wait = step.start - finished;
      }
      path.tasks.push_back(step);
      task = before;
    }
    std::reverse(path.tasks.begin(), path.tasks.end());
    for (const PathTask& step : path.tasks) {
      path.classes[static_cast<std::size_t>(path_class_of(dag_, step.task))] += step.duration;
      path.classes[static_cast<std::size_t>(PathClass::kWait)] += step.wait;
    }
    path.length = finish_[last.index()] - path.begin;
    return path;
  }

  [[nodiscard]] Time finish(TaskId task) const { return finish_[task.index()]; }

 private:
  /// On a lane that orders its tasks in a queue, makes a task also wait for the previous task of the lane if both are
  /// in the same set.
  void wait_for_lane(TaskId task) {
    const Lane& lane = dag_.lane(task);
    if (lane.order == LaneOrder::kEdges || lane.capacity != 1 || set_of_[task.index()] < 0) return;
    const auto [slot, is_first] = lanes_.try_emplace(dag_.lane_id(task), task);
    if (is_first) return;
    const TaskId before = std::exchange(slot->second, task);
    if (set_of_[before.index()] != set_of_[task.index()]) return;
    const Time ready = finish_[before.index()] + delay(before, task, Duration{});
    if (ready <= ready_[task.index()]) return;
    ready_[task.index()] = ready;
    after_[task.index()] = before;
    via_[task.index()] = before;
    by_lane_[task.index()] = true;
  }

  /// Returns an edge's lag, or the time from the end of `from` to the start of `to` in the replay if that is shorter.
  /// The result may be negative: a sender continues once its message has left, which is before the message ends.
  [[nodiscard]] Duration delay(TaskId from, TaskId to, Duration lag) const {
    return std::min(lag, timeline_.start[to.index()] - timeline_.finish[from.index()]);
  }

  /// Returns the last member of the task's collective to arrive, among the members in the task's set; the task itself
  /// if it is in no collective.
  [[nodiscard]] TaskId arrived_of(TaskId task) const {
    const TaskId last = arrived_[task.index()];
    return last.valid() ? last : task;
  }

  void end_all(std::span<const TaskId> members) {
    std::map<std::int32_t, TaskId> last;
    for (const TaskId member : members) {
      const auto key = [this](TaskId one) {
        return std::pair{ready_[one.index()], -static_cast<std::int64_t>(one.value())};
      };
      TaskId& latest = last.try_emplace(set_of_[member.index()], member).first->second;
      if (key(member) > key(latest)) latest = member;
    }
    for (const TaskId member : members) {
      arrived_[member.index()] = last.at(set_of_[member.index()]);
      end(member, arrived_[member.index()]);
    }
  }

  void end(TaskId task, TaskId arrived) {
    const std::int32_t set = set_of_[task.index()];
    if (set < 0) return;
    finish_[task.index()] = ready_[arrived.index()] + own_time(dag_, timeline_, task);
    release_next_tasks(task, task, set, finish_[task.index()]);
  }

  /// Continues all paths that have reached `task`, a task of a server, in the sets that they came from.
  void serve(TaskId task) {
    const auto arrivals = served_.extract(task);
    if (arrivals.empty()) return;
    for (const auto& [set, arrival] : arrivals.mapped())
      release_next_tasks(arrival.after, task, set, arrival.ready + own_time(dag_, timeline_, task));
  }

  /// Releases the successors of `via`, which ended at `end`. They continue the path of `set` whose last task is
  /// `after`: `via` itself, or the task before `via` if `via` belongs to a server.
  void release_next_tasks(TaskId after, TaskId via, std::int32_t set, Time end) {
    for (const EdgeId edge : dag_.edges_from(via)) {
      const TaskId next = dag_.target(edge);
      const Time ready = end + delay(via, next, dag_.lag(edge));
      if (set_of_[next.index()] == kServesAll) {
        Arrival& arrival = served_[next].try_emplace(set, Arrival{ready, after}).first->second;
        if (ready > arrival.ready) arrival = {ready, after};
      } else if (set_of_[next.index()] == set && (!after_[next.index()].valid() || ready > ready_[next.index()])) {
        ready_[next.index()] = ready;
        after_[next.index()] = after;
        via_[next.index()] = via;
      }
    }
  }

  /// A path that has reached a server's task: when that task could start, and the last task of the path.
  struct Arrival {
    Time ready;
    TaskId after;
  };

  const Dag& dag_;
  const Timeline& timeline_;
  const TaskSets& set_of_;
  std::vector<Time> ready_;
  std::vector<Time> finish_;
  std::vector<TaskId> after_;       ///< the previous task on the path
  std::vector<TaskId> via_;         ///< `after_`, or the server's task between `after_` and the task
  std::vector<TaskId> arrived_;     ///< set for members of collectives; see arrived_of()
  std::vector<bool> by_lane_;       ///< true if `after_` was before it on the lane
  std::map<LaneId, TaskId> lanes_;  ///< the last task so far on each lane with a queue
  std::map<TaskId, std::map<std::int32_t, Arrival>> served_;  ///< indexed by server's task and set
};

/// Returns the set of each task: the set of its rank in `set_of_rank`. If `step` is given, tasks of other steps are in
/// no set.
TaskSets sets_by_rank(const Capture& capture, std::optional<std::int64_t> step,
                      const std::map<Rank, std::int32_t>& set_of_rank) {
  const Recording& recording = capture.recording;
  TaskSets sets(capture.dag.task_count(), kInNoSet);
  for (std::size_t i = 0; i < sets.size(); ++i) {
    const Lane& lane = capture.dag.lane(TaskId{i});
    if (lane.kind == LaneKind::kServerThread) {
      sets[i] = kServesAll;
      continue;
    }
    const auto set = set_of_rank.find(lane.rank);
    const std::int32_t in = recording.step.empty() ? -1 : recording.step[i];
    const bool wanted = !step || (in >= 0 && recording.steps[static_cast<std::size_t>(in)].number == *step);
    if (wanted && set != set_of_rank.end()) sets[i] = set->second;
  }
  return sets;
}

std::vector<PartPath> paths_of(const Capture& capture, const Timeline& timeline, std::optional<std::int64_t> step,
                               std::vector<PartPath> parts) {
  std::map<Rank, std::int32_t> set_of_rank;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    for (const Rank rank : parts[i].ranks) set_of_rank[rank] = static_cast<std::int32_t>(i);
  }
  std::vector<CriticalPath> paths =
      longest_paths(capture.dag, timeline, sets_by_rank(capture, step, set_of_rank), parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) parts[i].path = std::move(paths[i]);
  return parts;
}

}  // namespace

std::vector<CriticalPath> longest_paths(const Dag& dag, const Timeline& timeline, const TaskSets& set_of,
                                        std::size_t sets) {
  const Alone alone(dag, timeline, set_of);
  std::vector<TaskId> last(sets);
  for (std::size_t i = 0; i < set_of.size(); ++i) {
    if (set_of[i] < 0) continue;
    TaskId& latest = last[static_cast<std::size_t>(set_of[i])];
    if (!latest.valid() || alone.finish(TaskId{i}) > alone.finish(latest)) latest = TaskId{i};
  }
  std::vector<CriticalPath> paths;
  paths.reserve(sets);
  for (const TaskId task : last) paths.push_back(task.valid() ? alone.path_to(task) : CriticalPath{});
  return paths;
}

PartPaths part_paths(const Capture& capture, const Timeline& timeline, const CriticalPath& path) {
  PartPaths result;
  if (capture.recording.ranks.size() < 2) return result;
  std::map<Rank, std::string> hosts = hosts_of_ranks(capture.dag);
  std::vector<PartPath> gpus;
  std::vector<PartPath> workers;
  for (const Rank rank : capture.recording.ranks) {
    gpus.push_back({hosts[rank], {rank}, {}});
    const auto same = std::find_if(workers.begin(), workers.end(),
                                   [&](const PartPath& worker) { return worker.host == hosts[rank]; });
    if (same == workers.end()) {
      workers.push_back(gpus.back());
    } else {
      same->ranks.push_back(rank);
    }
  }
  const std::optional<std::int64_t> step = step_of_path(capture.recording, path);
  result.step = step.value_or(-1);
  if (workers.size() > 1 && workers.size() < gpus.size())
    result.workers = paths_of(capture, timeline, step, std::move(workers));
  result.gpus = paths_of(capture, timeline, step, std::move(gpus));
  return result;
}

}  // namespace stepsim::sim
