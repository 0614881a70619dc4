#include "model/rewrite/buckets.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "model/base/error.h"
#include "model/rewrite/capture_edit.h"

namespace stepsim {
namespace {

/// One rank's part of a step.
struct Part {
  std::vector<TaskId> all_reduces;
  std::vector<Gradient> gradients;
  Bytes reduced{};
};

/// The steps of all ranks that take part in the same all-reduces, as ascending indices into Recording::steps.
using JointStep = std::vector<std::int32_t>;

bool is_pooled_all_reduce(const Dag& dag, RendezvousId rendezvous) {
  const auto members = dag.members(rendezvous);
  return dag.collective(rendezvous).op == CollectiveOp::kAllReduce && !members.empty() &&
         std::all_of(members.begin(), members.end(),
                     [&](TaskId member) { return dag.lane(member).order == LaneOrder::kFifo; });
}

/// True if the all-reduces are kernels on a stream.
bool reduces_on_devices(const Dag& dag) {
  for (const TaskId task : dag.tasks()) {
    const RendezvousId rendezvous = dag.rendezvous(task);
    if (rendezvous.valid() && dag.collective(rendezvous).op == CollectiveOp::kAllReduce)
      return dag.lane(task).kind == LaneKind::kStream;
  }
  return false;
}

class Rebucketing {
 public:
  Rebucketing(const Capture& capture, Bytes bound)
      : dag_(capture.dag), recording_(capture.recording), edit_(capture), bound_(bound) {
    for (const RendezvousId rendezvous : dag_.all_rendezvous()) add_all_reduce(rendezvous);
    for (const Gradient& gradient : capture.gradients) parts_[step_of(gradient.ready)].gradients.push_back(gradient);
  }

  Capture run() && {
    std::size_t changed = 0;
    for (const JointStep& step : joint_steps_) {
      if (!is_all_gradients(step)) continue;
      rebuild(step);
      ++changed;
    }
    if (changed == 0) {
      throw CannotAnswer({},
                         "the capture has no gradients in all-reduce buckets; expected a trace of "
                         "DistributedDataParallel with its all-reduces and record_shapes=True");
    }
    return std::move(edit_).finish();
  }

 private:
  [[nodiscard]] std::int32_t step_of(TaskId task) const { return recording_.step[task.index()]; }

  void add_all_reduce(RendezvousId rendezvous) {
    if (!is_pooled_all_reduce(dag_, rendezvous)) return;
    JointStep steps;
    for (const TaskId member : dag_.members(rendezvous)) {
      Part& part = parts_[step_of(member)];
      part.all_reduces.push_back(member);
      part.reduced += dag_.collective(rendezvous).bytes;
      steps.push_back(step_of(member));
    }
    std::sort(steps.begin(), steps.end());
    joint_steps_.insert(std::move(steps));
  }

  /// True if every rank reduces exactly the gradients it computes, and all ranks have the same sizes.
  bool is_all_gradients(const JointStep& step) {
    const std::vector<Bytes> sizes = sizes_of(parts_[step.front()].gradients);
    const Bytes sum = std::accumulate(sizes.begin(), sizes.end(), Bytes{});
    return std::all_of(step.begin(), step.end(), [&](std::int32_t index) {
      const Part& part = parts_[index];
      return index >= 0 && sum == part.reduced && sizes_of(part.gradients) == sizes;
    });
  }

  void rebuild(const JointStep& step) {
    const Part& part = parts_[step.front()];
    Collective collective = dag_.collective(dag_.rendezvous(part.all_reduces.front()));
    for (const Bucket& bucket : buckets_of(sizes_of(part.gradients), bound_)) {
      collective.bytes = bucket.bytes;
      const RendezvousId rendezvous = edit_.builder().add_rendezvous(collective);
      for (const std::int32_t index : step) edit_.builder().join(rendezvous, add_reduction(index, bucket));
    }
    for (const std::int32_t index : step) {
      for (const TaskId task : parts_[index].all_reduces) edit_.remove(task);
    }
  }

  TaskId add_reduction(std::int32_t step, const Bucket& bucket) {
    const Part& part = parts_[step];
    const TaskId like = part.all_reduces.front();
    const TaskId ready = part.gradients[bucket.last].ready;
    const TaskId task = edit_.add_task({.kind = TaskKind::kCollective,
                                        .name = edit_.builder().intern(dag_.name(like)),
                                        .lane = dag_.lane_id(like),
                                        .duration = {},
                                        .bytes = bucket.bytes,
                                        .hint = recording_.finish[ready.index()]},
                                       step);
    edit_.builder().add_edge(ready, task, EdgeKind::kHandOff);
    if (const TaskId waiter = last_waiter(part); waiter.valid())
      edit_.builder().add_edge(task, waiter, EdgeKind::kHandOff);
    return task;
  }

  /// Returns the task that waits for the last reduction of the step. A task that waits for all reductions was recorded
  /// as waiting for the last one.
  [[nodiscard]] TaskId last_waiter(const Part& part) const {
    TaskId last;
    for (const TaskId task : part.all_reduces) {
      for (const TaskId next : dag_.successors(task)) {
        if (dag_.lane(next).order == LaneOrder::kFifo) continue;
        if (!last.valid() || recording_.start[next.index()] > recording_.start[last.index()]) last = next;
      }
    }
    return last;
  }

  const Dag& dag_;
  const Recording& recording_;
  CaptureEdit edit_;
  Bytes bound_;
  std::map<std::int32_t, Part> parts_;  ///< indexed by step
  std::set<JointStep> joint_steps_;
};

}  // namespace

std::vector<Bytes> sizes_of(std::span<const Gradient> gradients) {
  std::vector<Bytes> sizes;
  sizes.reserve(gradients.size());
  for (const Gradient& gradient : gradients) sizes.push_back(gradient.bytes);
  return sizes;
}

std::vector<Bucket> buckets_of(std::span<const Bytes> gradients, Bytes bound, Bytes first) {
  std::vector<Bucket> buckets;
  Bytes filled{};
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    filled += gradients[i];
    if (filled < (buckets.empty() ? first : bound) && i + 1 < gradients.size()) continue;
    buckets.push_back({i, filled});
    filled = {};
  }
  return buckets;
}

Capture with_buckets(const Capture& capture, Bytes bound) {
  return reduces_on_devices(capture.dag) ? with_device_buckets(capture, bound) : Rebucketing(capture, bound).run();
}

}  // namespace stepsim
