#ifndef STEPSIM_MODEL_REWRITE_BUCKETS_H
#define STEPSIM_MODEL_REWRITE_BUCKETS_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "model/base/units.h"
#include "model/job/recording.h"

namespace stepsim {

/// A launch of device work by a host thread. Lists have one entry per launch, by thread, ordered by the recorded end of
/// the call.
struct DeviceLaunch {
  Time end;  ///< end of the call
  TaskId call;
  TaskId work;  ///< the kernel, copy, memset or collective
  Duration lag{};
};
using DeviceLaunches = std::map<LaneId, std::vector<DeviceLaunch>>;

/// Returns the launches of each thread; empty for a task graph, because it has no recorded times. O(edges log edges).
[[nodiscard]] DeviceLaunches device_launches(const Capture& capture);

/// Returns the call that launched each piece of device work. O(launches log launches).
[[nodiscard]] std::map<TaskId, TaskId> calls_by_work(const DeviceLaunches& launches);
/// Returns the recorded start of the call that launched device work, or of the work itself if `call_of`, which is
/// calls_by_work(), has no call. O(log work).
[[nodiscard]] Time launch_time(const Recording& recording, const std::map<TaskId, TaskId>& call_of, TaskId work);

/// The gradients that the backward pass of a step computes on one thread, in order.
struct StepGradients {
  LaneId thread;
  std::vector<Gradient> gradients;
};

/// Returns the gradients of each step, by index into Recording::steps: those of the thread with the most of them.
/// O(gradients log gradients).
[[nodiscard]] std::map<std::int32_t, StepGradients> gradients_of_steps(const Capture& capture);

/// An all-reduce on a stream and the gradients it carries, as ascending indices into StepReductions::gradients.
struct DeviceReduction {
  DeviceLaunch launch;  ///< launch of its kernel
  std::vector<std::size_t> gradients;
};

/// The reductions of one rank in one step. Empty if it is not known which gradients the step's all-reduces carry.
struct StepReductions {
  LaneId thread;                            ///< thread of the backward pass
  std::vector<Gradient> gradients;          ///< gradients that are reduced, in order of their computation
  std::vector<DeviceReduction> reductions;  ///< ordered by their launches
};

/// Returns the reductions of each step, by index into Recording::steps. The comment on with_device_buckets() says which
/// gradients an all-reduce carries. O(tasks log tasks + edges).
[[nodiscard]] std::map<std::int32_t, StepReductions> device_reductions(const Capture& capture,
                                                                       const DeviceLaunches& launches);

/// Returns those of the launches of one thread whose calls ended after `from` and at or before `to`.
[[nodiscard]] std::span<const DeviceLaunch> launched_between(const std::vector<DeviceLaunch>& launches, Time from,
                                                             Time to);

/// Returns the last of the launches whose work is not a collective; invalid if there is none.
[[nodiscard]] TaskId last_work(const Dag& dag, std::span<const DeviceLaunch> launches);

/// Returns the operation of a collective on a stream; nothing for other tasks.
[[nodiscard]] std::optional<CollectiveOp> stream_collective(const Dag& dag, TaskId task);

/// True for operations that sum what the members have.
[[nodiscard]] constexpr bool is_reduction(CollectiveOp op) noexcept {
  return op == CollectiveOp::kAllReduce || op == CollectiveOp::kReduceScatter || op == CollectiveOp::kReduce;
}

/// Implements with_buckets() for DistributedDataParallel on NCCL and similar libraries, where all-reduces are kernels
/// on a stream. The thread of the backward pass launches each from the hook of its bucket's last gradient.
///
/// The gradients of an all-reduce were complete when it was launched. If their sizes were recorded, they are a
/// consecutive run of gradients whose sizes sum to its payload. Otherwise they are all gradients since the previous
/// all-reduce, and the payload is split in proportion to the grids of the kernels that copy them into their bucket.
/// That is accurate to about the elements of one block.
///
/// The all-reduce of a new bucket waits for the work that the thread had launched when the bucket's last gradient was
/// ready, for the previous all-reduce on its stream, and for its own launch. If a captured bucket ended at the same
/// gradient, its launch is used; otherwise a call with the median length of the captured calls is added. Calls that are
/// no longer made take no time. A task that waits for a captured all-reduce waits for the new one that carries its last
/// gradient. A step is left as it is if its buckets do not change or if its ranks have different gradients. An
/// all-reduce whose gradients all came between two gradients of another one belongs to a different reducer and stays;
/// all others are treated as belonging to one reducer.
///
/// Throws CannotAnswer if no step shows which gradients its all-reduces carry, or if the backward pass waits for
/// an all-reduce before all gradients of its new bucket are ready. O(tasks log tasks + edges).
[[nodiscard]] Capture with_device_buckets(const Capture& capture, Bytes bound);

/// The captured buckets, as shown by the first step whose all-reduces can be matched to gradients.
struct CapturedBuckets {
  std::size_t gradients = 0;
  std::vector<Bytes> sizes;  ///< sizes of the buckets, in order of their launches
  /// True if the sizes of the gradients come from recorded shapes, false if they come from the grids of the kernels
  /// that copy the gradients into their buckets.
  bool by_shapes = true;
  bool first_is_smaller = false;  ///< true if the first bucket ends at 1 MiB; it then does so for every bound
};

/// Returns the captured buckets, or nothing if with_device_buckets() would throw or if the all-reduces do not run on
/// devices. O(tasks log tasks + edges).
[[nodiscard]] std::optional<CapturedBuckets> captured_device_buckets(const Capture& capture);

/// Returns the sizes of gradients, in the same order.
[[nodiscard]] std::vector<Bytes> sizes_of(std::span<const Gradient> gradients);

/// Gradients that are reduced together: those after the previous bucket, up to and including `last`.
struct Bucket {
  std::size_t last = 0;
  Bytes bytes{};
  friend bool operator==(const Bucket&, const Bucket&) = default;
};

/// DistributedDataParallel's default size of the first bucket, which is small so that communication begins early, and
/// of the others.
inline constexpr Bytes kFirstBucket{1 << 20};
inline constexpr Bytes kUsualBucket{25 << 20};

/// Fills buckets as DistributedDataParallel does: gradients are added in order, and a bucket is closed when its size
/// reaches `bound`, or `first` for the first bucket. O(gradients).
[[nodiscard]] std::vector<Bucket> buckets_of(std::span<const Bytes> gradients, Bytes bound, Bytes first);
/// Fills buckets with one bound for all of them, as when bucket_cap_mb is given.
[[nodiscard]] inline std::vector<Bucket> buckets_of(std::span<const Bytes> gradients, Bytes bound) {
  return buckets_of(gradients, bound, bound);
}

/// Returns the capture as it would be with buckets of size `bound`. In each step, the all-reduces of gradients are
/// replaced by those of the new buckets. Each is submitted when its last gradient is ready, and is waited for by the
/// task that waited for the last all-reduce. `capture` is a result of under_models(). If devices reduce, as with NCCL,
/// with_device_buckets() does the work.
///
/// Steps in which, on any rank, the all-reduces are not the sum of the gradients are left unchanged. Throws
/// CannotAnswer if this is true for all steps, and as with_device_buckets() does. O(tasks log tasks + edges).
[[nodiscard]] Capture with_buckets(const Capture& capture, Bytes bound);

}  // namespace stepsim

#endif
