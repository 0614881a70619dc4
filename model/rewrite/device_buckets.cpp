#include "model/rewrite/buckets.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "model/base/error.h"
#include "model/base/median.h"
#include "model/job/group.h"
#include "model/rewrite/capture_edit.h"

namespace stepsim {
namespace {

/// The steps of all ranks that take part in the same all-reduces, as ascending indices into Recording::steps.
using JointTasks = std::set<std::int32_t>;

/// DistributedDataParallel's default size of the first bucket; it is small so that communication begins early.
constexpr Bytes kFirstBucket{1 << 20};
constexpr Bytes kUnbounded{std::numeric_limits<std::int64_t>::max()};

/// Returns the captured buckets, or nothing if gradients were computed in a different order than in the buckets.
std::vector<Bucket> captured_buckets(const StepReductions& step) {
  std::vector<Bucket> buckets;
  std::size_t next = 0;
  for (const DeviceReduction& reduction : step.reductions) {
    if (reduction.gradients.front() != next || reduction.gradients.back() != next + reduction.gradients.size() - 1)
      return {};
    Bytes bytes{};
    for (const std::size_t gradient : reduction.gradients) bytes += step.gradients[gradient].bytes;
    next = reduction.gradients.back() + 1;
    buckets.push_back({next - 1, bytes});
  }
  return buckets;
}

/// True if a single bound on the size explains the buckets from `first` on: each bucket but the last one reached the
/// bound only with its last gradient.
bool have_one_bound(const StepReductions& step, const std::vector<Bucket>& buckets, std::size_t first) {
  Bytes more_than{};
  Bytes at_most = kUnbounded;
  for (std::size_t i = first; i < buckets.size(); ++i) {
    more_than = std::max(more_than, buckets[i].bytes - step.gradients[buckets[i].last].bytes);
    if (i + 1 < buckets.size()) at_most = std::min(at_most, buckets[i].bytes);
  }
  return more_than < at_most;
}

/// Returns the bound of the first bucket: the default if the captured buckets are consistent with it, otherwise
/// `bound`.
Bytes first_bound(const StepReductions& step, Bytes bound) {
  const std::vector<Bucket> captured = captured_buckets(step);
  if (captured.size() < 2 || !have_one_bound(step, captured, 1)) return bound;
  const Bytes before_last = captured.front().bytes - step.gradients[captured.front().last].bytes;
  const bool is_default = captured.front().bytes >= kFirstBucket && before_last < kFirstBucket;
  return is_default ? std::min(bound, kFirstBucket) : bound;
}

/// The tasks of the thread that belong to the call of one all-reduce.
struct Call {
  std::vector<TaskId> before;  ///< tasks up to and including the launch
  std::vector<TaskId> after;
};

class DeviceRebucketing {
 public:
  DeviceRebucketing(const Capture& capture, Bytes bound)
      : dag_(capture.dag),
        recording_(capture.recording),
        edit_(capture),
        bound_(bound),
        launches_(device_launches(capture)),
        steps_(device_reductions(capture, launches_)),
        next_(capture.dag.task_count()),
        previous_(capture.dag.task_count()),
        launches_work_(capture.dag.task_count(), false) {
    for (const auto& [thread, list] : launches_) {
      for (const DeviceLaunch& launch : list) launches_work_[launch.call.index()] = true;
    }
    for (const TaskId task : dag_.tasks()) link(task);
  }

  Capture run() && {
    std::size_t answered = 0;
    for (const JointTasks& step : joint_steps()) {
      if (!is_alike(step)) continue;
      ++answered;
      const StepReductions& one = steps_.at(*step.begin());
      const std::vector<Bucket> buckets = buckets_of(sizes_of(one.gradients), bound_, first_bound(one, bound_));
      if (buckets != captured_buckets(one)) rebuild(step, buckets);
    }
    if (answered == 0) refuse();
    rewire();
    try {
      return std::move(edit_).finish();
    } catch (const CycleError&) {
      throw UsageError(
          "the backward pass waits for an all-reduce before all gradients of its new bucket are ready; expected "
          "smaller buckets");
    }
  }

 private:
  /// Stores the next and the previous task of each task on its thread, and for each collective the lag of the edge by
  /// which it waits for work on other streams.
  void link(TaskId task) {
    for (const EdgeId edge : dag_.edges_from(task)) {
      const TaskId target = dag_.target(edge);
      if (dag_.edge_kind(edge) == EdgeKind::kSync && dag_.kind(target) == TaskKind::kCollective)
        sync_lag_[target] = dag_.lag(edge);
      if (dag_.edge_kind(edge) != EdgeKind::kProgram || dag_.lane_id(target) != dag_.lane_id(task)) continue;
      next_[task.index()] = target;
      previous_[target.index()] = task;
    }
  }

  [[noreturn]] static void refuse() {
    throw CannotAnswer(
        {},
        "it is unknown which gradients the all-reduces carry; expected DistributedDataParallel with all "
        "ranks or one rank of a group of at most 64, whose trace has the sizes of all-reduces (PyTorch 2.1 or later) "
        "and of gradients (record_shapes=True)");
  }

  [[nodiscard]] RendezvousId rendezvous_of(const DeviceReduction& reduction) const {
    return dag_.rendezvous(reduction.launch.work);
  }

  /// Returns the steps in which ranks reduce together. Leaves out steps whose all-reduces keep their recorded times
  /// because too many members are missing.
  [[nodiscard]] std::set<JointTasks> joint_steps() const {
    std::set<JointTasks> joint;
    for (const auto& [index, step] : steps_) {
      if (step.reductions.empty()) continue;
      JointTasks steps;
      bool timed = true;
      for (const DeviceReduction& reduction : step.reductions) {
        timed = timed && can_simulate_members(dag_, rendezvous_of(reduction));
        for (const TaskId member : dag_.members(rendezvous_of(reduction)))
          steps.insert(recording_.step[member.index()]);
      }
      if (timed && !steps.contains(-1)) joint.insert(std::move(steps));
    }
    return joint;
  }

  /// True if every rank has the same gradients and takes part in the same all-reduces.
  [[nodiscard]] bool is_alike(const JointTasks& joint) const {
    const auto first = steps_.find(*joint.begin());
    return std::all_of(joint.begin(), joint.end(), [&](std::int32_t index) {
      const auto step = steps_.find(index);
      if (first == steps_.end() || step == steps_.end()) return false;
      const auto& a = first->second.reductions;
      const auto& b = step->second.reductions;
      return sizes_of(step->second.gradients) == sizes_of(first->second.gradients) &&
             std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](const auto& x, const auto& y) {
               return rendezvous_of(x) == rendezvous_of(y) && x.gradients == y.gradients;
             });
    });
  }

  void rebuild(const JointTasks& joint, const std::vector<Bucket>& buckets) {
    std::vector<RendezvousId> reduced;
    for (const Bucket& bucket : buckets) {
      Collective collective = dag_.collective(rendezvous_of(steps_.at(*joint.begin()).reductions.front()));
      collective.bytes = bucket.bytes;
      reduced.push_back(edit_.builder().add_rendezvous(collective));
    }
    for (const std::int32_t index : joint) rebuild_rank(index, buckets, reduced);
  }

  void rebuild_rank(std::int32_t index, const std::vector<Bucket>& buckets, const std::vector<RendezvousId>& reduced) {
    const StepReductions& step = steps_.at(index);
    std::map<std::size_t, const DeviceReduction*> ending;  // captured reductions by their last gradient
    for (const DeviceReduction& reduction : step.reductions) ending[reduction.gradients.back()] = &reduction;
    const auto [before, after] = call_times(step);
    std::vector<TaskId> kernels;
    for (std::size_t i = 0; i < buckets.size(); ++i) {
      const auto kept = ending.find(buckets[i].last);
      DeviceLaunch launch = step.reductions.front().launch;
      if (kept == ending.end()) {
        launch.call = add_call(step, index, step.gradients[buckets[i].last].ready, before, after);
      } else {
        launch = kept->second->launch;
        ending.erase(kept);
      }
      kernels.push_back(add_kernel(step, index, buckets[i], launch));
      edit_.builder().join(reduced[i], kernels.back());
    }
    for (const auto& [last, reduction] : ending) zero_durations(call_of(reduction->launch.call));
    move_waits(step, buckets, kernels);
    for (const DeviceReduction& reduction : step.reductions) {
      edit_.remove(reduction.launch.work);
      gone_.insert(reduction.launch.work);
    }
  }

  /// Returns the time that the backward thread spends on an all-reduce, up to its launch and after it.
  [[nodiscard]] std::pair<Duration, Duration> call_times(const StepReductions& step) const {
    std::vector<Duration> before;
    std::vector<Duration> after;
    for (const DeviceReduction& reduction : step.reductions) {
      const Call call = call_of(reduction.launch.call);
      before.push_back(total(call.before));
      after.push_back(total(call.after));
    }
    return {median(std::move(before)), median(std::move(after))};
  }

  [[nodiscard]] Duration total(const std::vector<TaskId>& tasks) const {
    Duration sum{};
    for (const TaskId task : tasks) sum += dag_.duration(task);
    return sum;
  }

  /// True if a task is part of the library's call that launches an all-reduce: a range of the library, or a runtime
  /// call that launches nothing.
  [[nodiscard]] bool is_of_call(TaskId task) const {
    if (launches_work_[task.index()]) return false;
    const std::string_view name = dag_.name(task);
    return dag_.kind(task) == TaskKind::kRuntime || name.starts_with("c10d::") || name.starts_with("nccl:") ||
           name == "record_param_comms";
  }

  [[nodiscard]] Call call_of(TaskId launch) const {
    Call call{.before = {launch}, .after = {}};
    for (TaskId task = previous_[launch.index()]; task.valid() && is_of_call(task); task = previous_[task.index()])
      call.before.push_back(task);
    for (TaskId task = next_[launch.index()]; task.valid() && is_of_call(task); task = next_[task.index()])
      call.after.push_back(task);
    return call;
  }

  void zero_durations(const Call& call) {
    for (const auto* part : {&call.before, &call.after}) {
      for (const TaskId task : *part) edit_.builder().set_duration(task, Duration{});
    }
  }

  /// Adds the tasks of one call. Returns the one that launches.
  TaskId add_call(const StepReductions& step, std::int32_t index, TaskId ready, Duration before, Duration after) {
    const Time at = recording_.finish[ready.index()];
    TaskSpec spec{.kind = TaskKind::kHost,
                  .name = edit_.builder().intern("all-reduce of a new bucket"),
                  .lane = step.thread,
                  .duration = before,
                  .bytes = {},
                  .hint = at};
    const TaskId launch = edit_.add_task(spec, index);
    spec.duration = after;
    spec.hint = at + before;
    const TaskId rest = edit_.add_task(spec, index);
    edit_.builder().add_edge(launch, rest, EdgeKind::kProgram);
    calls_after_[ready].emplace_back(launch, rest);
    return launch;
  }

  TaskId add_kernel(const StepReductions& step, std::int32_t index, const Bucket& bucket, const DeviceLaunch& launch) {
    const DeviceReduction& like = step.reductions.front();
    const TaskId ready = step.gradients[bucket.last].ready;
    const bool is_new = launch.call.index() >= dag_.task_count();
    const Time at = is_new ? recording_.finish[ready.index()] : launch.end;
    const TaskId kernel = edit_.add_task({.kind = TaskKind::kCollective,
                                          .name = edit_.builder().intern(dag_.name(like.launch.work)),
                                          .lane = dag_.lane_id(like.launch.work),
                                          .duration = dag_.duration(like.launch.work),
                                          .bytes = dag_.bytes(like.launch.work) > Bytes{} ? bucket.bytes : Bytes{},
                                          .hint = at},
                                         index);
    edit_.builder().add_edge(launch.call, kernel, EdgeKind::kLaunch, launch.lag);
    if (const auto work = last_work(step, is_new ? recording_.finish[ready.index()] : launch.end))
      edit_.builder().add_edge(*work, kernel, EdgeKind::kSync, sync_lag_[like.launch.work]);
    added_[dag_.lane_id(like.launch.work)].emplace_back(at, kernel);
    return kernel;
  }

  /// Returns the last work that the thread had launched by `time` and that is not a collective, or nothing.
  [[nodiscard]] std::optional<TaskId> last_work(const StepReductions& step, Time time) const {
    const std::vector<DeviceLaunch>& launches = launches_.at(step.thread);
    auto place = std::upper_bound(launches.begin(), launches.end(), time,
                                  [](Time at, const DeviceLaunch& launch) { return at < launch.end; });
    while (place != launches.begin()) {
      --place;
      if (dag_.kind(place->work) != TaskKind::kCollective) return place->work;
    }
    return std::nullopt;
  }

  /// Makes the tasks that waited for a captured all-reduce wait for the new one that carries its last gradient.
  void move_waits(const StepReductions& step, const std::vector<Bucket>& buckets, const std::vector<TaskId>& kernels) {
    for (const DeviceReduction& reduction : step.reductions) {
      const auto bucket =
          std::lower_bound(buckets.begin(), buckets.end(), reduction.gradients.back(),
                           [](const Bucket& candidate, std::size_t gradient) { return candidate.last < gradient; });
      const TaskId kernel = kernels[static_cast<std::size_t>(bucket - buckets.begin())];
      const TaskId work = reduction.launch.work;
      for (const EdgeId edge : dag_.edges_from(work)) {
        if (dag_.edge_kind(edge) == EdgeKind::kStream) continue;
        edit_.builder().add_edge(kernel, dag_.target(edge), dag_.edge_kind(edge), dag_.lag(edge));
      }
    }
  }

  /// Inserts the added tasks into the order of their thread or stream.
  void rewire() {
    for (DagBuilder::Edge& edge : edit_.builder().edges()) {
      const auto calls = calls_after_.find(edge.from);
      if (calls == calls_after_.end() || edge.kind != EdgeKind::kProgram) continue;
      if (edge.to.index() < dag_.task_count() && dag_.lane_id(edge.to) == dag_.lane_id(edge.from))
        edge.from = calls->second.back().second;
    }
    for (const auto& [ready, calls] : calls_after_) {
      TaskId last = ready;
      for (const auto& [launch, rest] : calls) {
        edit_.builder().add_edge(last, launch, EdgeKind::kProgram);
        last = rest;
      }
    }
    std::map<TaskId, Time> called;
    for (const auto& [thread, list] : launches_) {
      for (const DeviceLaunch& launch : list) called[launch.work] = launch.end;
    }
    std::map<LaneId, std::vector<std::pair<Time, TaskId>>> captured;
    for (const TaskId task : dag_.tasks()) {
      if (!added_.contains(dag_.lane_id(task))) continue;
      const auto call = called.find(task);
      captured[dag_.lane_id(task)].emplace_back(call == called.end() ? recording_.start[task.index()] : call->second,
                                                task);
    }
    for (auto& [lane, kernels] : added_) rewire(lane, kernels, captured[lane]);
  }

  /// Inserts kernels into the order of a stream. Both lists have the times of launches, or of starts if those are
  /// unknown.
  void rewire(LaneId lane, const std::vector<std::pair<Time, TaskId>>& added,
              const std::vector<std::pair<Time, TaskId>>& captured) {
    std::set<TaskId> is_new;
    for (const auto& [at, kernel] : added) is_new.insert(kernel);
    std::vector<std::pair<Time, TaskId>> all = added;
    all.insert(all.end(), captured.begin(), captured.end());
    std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    const Duration pause = pause_on(lane);
    TaskId last;
    bool changed = false;  // true if a task was added or removed since `last`
    for (const auto& [at, task] : all) {
      changed = changed || is_new.contains(task) || gone_.contains(task);
      if (gone_.contains(task)) continue;
      if (changed && last.valid()) edit_.builder().add_edge(last, task, EdgeKind::kStream, pause);
      changed = is_new.contains(task);
      last = task;
    }
  }

  /// Returns the shortest pause on a stream between a removed all-reduce and the next work; 0 if no such pause is
  /// known.
  [[nodiscard]] Duration pause_on(LaneId lane) const {
    Duration least = Duration::max();
    for (const TaskId work : gone_) {
      if (dag_.lane_id(work) != lane) continue;
      for (const EdgeId edge : dag_.edges_from(work)) {
        if (dag_.edge_kind(edge) == EdgeKind::kStream) least = std::min(least, dag_.lag(edge));
      }
    }
    return least == Duration::max() ? Duration{} : least;
  }

  const Dag& dag_;
  const Recording& recording_;
  CaptureEdit edit_;
  Bytes bound_;
  DeviceLaunches launches_;
  std::map<std::int32_t, StepReductions> steps_;
  std::vector<TaskId> next_;      ///< indexed by task: the next one on its thread
  std::vector<TaskId> previous_;  ///< indexed by task: the previous one on its thread
  std::vector<bool> launches_work_;
  std::map<TaskId, Duration> sync_lag_;  ///< lag of the edge into the waiting task, for each collective
  std::map<TaskId, std::vector<std::pair<TaskId, TaskId>>> calls_after_;  ///< new calls, by the task they follow
  std::map<LaneId, std::vector<std::pair<Time, TaskId>>> added_;          ///< new kernels by stream, with launch times
  std::set<TaskId> gone_;                                                 ///< removed all-reduces
};

}  // namespace

std::optional<CapturedBuckets> captured_device_buckets(const Capture& capture) {
  const bool by_shapes = std::any_of(capture.gradients.begin(), capture.gradients.end(),
                                     [](const Gradient& gradient) { return gradient.bytes > Bytes{}; });
  for (const auto& [index, step] : device_reductions(capture, device_launches(capture))) {
    if (step.reductions.empty()) continue;
    CapturedBuckets found{step.gradients.size(), {}, by_shapes, first_bound(step, kUnbounded) < kUnbounded};
    for (const DeviceReduction& reduction : step.reductions)
      found.sizes.push_back(capture.dag.collective(capture.dag.rendezvous(reduction.launch.work)).bytes);
    return found;
  }
  return std::nullopt;
}

Capture with_device_buckets(const Capture& capture, Bytes bound) { return DeviceRebucketing(capture, bound).run(); }

}  // namespace stepsim
