#include "model/rewrite/buckets.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "model/base/error.h"
#include "model/base/median.h"
#include "model/cost/network/network.h"
#include "model/job/group.h"
#include "model/rewrite/reduction_edit.h"

namespace stepsim {
namespace {

/// The steps of all ranks that take part in the same all-reduces, as ascending indices into Recording::steps.
using JointTasks = std::set<std::int32_t>;

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

class DeviceRebucketing {
 public:
  DeviceRebucketing(const Capture& capture, Bytes bound)
      : dag_(capture.dag),
        recording_(capture.recording),
        bound_(bound),
        launches_(device_launches(capture)),
        edit_(capture, launches_),
        steps_(device_reductions(capture, launches_)) {}

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
    try {
      return std::move(edit_).finish();
    } catch (const CycleError&) {
      throw CannotAnswer({},
                         "the backward pass waits for an all-reduce before all gradients of its new bucket are ready; "
                         "expected another bucket size");
    }
  }

 private:
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
      reduced.push_back(edit_.capture().builder().add_rendezvous(collective));
    }
    for (const std::int32_t index : joint) rebuild_rank(index, buckets, reduced);
  }

  void rebuild_rank(std::int32_t index, const std::vector<Bucket>& buckets, const std::vector<RendezvousId>& reduced) {
    const StepReductions& step = steps_.at(index);
    std::map<std::size_t, const DeviceReduction*> ending;  // captured reductions by their last gradient
    for (const DeviceReduction& reduction : step.reductions) ending[reduction.gradients.back()] = &reduction;
    const CallTimes usual = usual_call(step);
    std::vector<TaskId> kernels;
    for (std::size_t i = 0; i < buckets.size(); ++i) {
      const TaskId ready = step.gradients[buckets[i].last].ready;
      const auto kept = ending.find(buckets[i].last);
      if (kept == ending.end()) {
        const TaskId call = edit_.add_call(ready, usual, "all-reduce of a new bucket");
        const DeviceLaunch launch{recording_.finish[ready.index()], call, step.reductions.front().launch.work,
                                  step.reductions.front().launch.lag};
        kernels.push_back(add_kernel(step, index, buckets[i].bytes, launch));
      } else {
        kernels.push_back(add_kernel(step, index, buckets[i].bytes, kept->second->launch));
        ending.erase(kept);
      }
      edit_.capture().builder().join(reduced[i], kernels.back());
    }
    for (const auto& [last, reduction] : ending) edit_.drop_call(reduction->launch);
    move_waits(step, buckets, kernels);
    for (const DeviceReduction& reduction : step.reductions) edit_.remove(reduction.launch.work);
  }

  /// Returns the median times of a call of the backward thread for an all-reduce.
  [[nodiscard]] CallTimes usual_call(const StepReductions& step) const {
    std::vector<Duration> before;
    std::vector<Duration> after;
    for (const DeviceReduction& reduction : step.reductions) {
      const CallTimes times = edit_.call_times(reduction.launch);
      before.push_back(times.before);
      after.push_back(times.after);
    }
    return {median(std::move(before)), median(std::move(after))};
  }

  /// Adds an all-reduce like launch.work with that launch.
  TaskId add_kernel(const StepReductions& step, std::int32_t index, Bytes bytes, const DeviceLaunch& launch) {
    CaptureEdit& edit = edit_.capture();
    const TaskId kernel = edit.add_task({.kind = TaskKind::kCollective,
                                         .name = edit.builder().intern(dag_.name(launch.work)),
                                         .lane = dag_.lane_id(launch.work),
                                         .duration = dag_.duration(launch.work),
                                         .bytes = dag_.bytes(launch.work) > Bytes{} ? bytes : Bytes{},
                                         .hint = launch.end},
                                        index);
    edit_.launch(kernel, step.thread, launch);
    return kernel;
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
        edit_.capture().builder().add_edge(kernel, dag_.target(edge), dag_.edge_kind(edge), dag_.lag(edge));
      }
    }
  }

  const Dag& dag_;
  const Recording& recording_;
  Bytes bound_;
  DeviceLaunches launches_;
  ReductionEdit edit_;
  std::map<std::int32_t, StepReductions> steps_;
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
