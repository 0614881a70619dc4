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

/// What host threads launched on devices, by thread, in order of the calls' recorded ends.
struct DeviceLaunch {
  Time end;  ///< of the call
  TaskId call;
  TaskId work;  ///< the kernel, copy, memset or collective
  Duration lag{};
};
using DeviceLaunches = std::map<LaneId, std::vector<DeviceLaunch>>;

/// Nothing of a task graph, which has no recorded times. O(edges log edges).
[[nodiscard]] DeviceLaunches device_launches(const Capture& capture);

/// An all-reduce on a stream and the gradients that it carries, as indices into StepReductions::gradients, ascending.
struct DeviceReduction {
  DeviceLaunch launch;  ///< of its kernel
  std::vector<std::size_t> gradients;
};

/// One rank's part of a step. Empty if the step does not show what its all-reduces carry.
struct StepReductions {
  LaneId thread;                            ///< of the backward pass
  std::vector<Gradient> gradients;          ///< those that are reduced, in the order in which they came
  std::vector<DeviceReduction> reductions;  ///< in the order of their launches
};

/// By index of Recording::steps. Which gradients an all-reduce carries: below. O(tasks log tasks + edges).
[[nodiscard]] std::map<std::int32_t, StepReductions> device_reductions(const Capture& capture,
                                                                       const DeviceLaunches& launches);

/// The places after `from` and up to `to` of what a thread had launched, in `launches` of one thread.
[[nodiscard]] std::span<const DeviceLaunch> launched_between(const std::vector<DeviceLaunch>& launches, Time from,
                                                             Time to);

/// with_buckets() for DistributedDataParallel on NCCL and its kin: the all-reduces are kernels on a stream, which the
/// thread of the backward pass launches from the hook of a bucket's last gradient.
///
/// The gradients of an all-reduce are those that were complete when it was launched: a run of them whose sizes sum to
/// its payload, or, where no sizes were recorded, all since the all-reduce before. The payload is then split among them
/// in proportion to the grids of the kernels that copy them into their bucket, to about the elements of one block.
///
/// The all-reduce of a new bucket waits for what the thread had launched by the bucket's last gradient, for the one
/// before it on its stream, and for its launch: the captured one where a captured bucket ended there, else a call of
/// the captured calls' median length. Calls that are no longer made take no time. Who waited for a captured all-reduce
/// waits for that of its last gradient. A step whose buckets come out as captured stays as it is, as does one in which
/// ranks differ in their gradients. An all-reduce whose gradients came between two of another one's is of another
/// reducer and stays; all others count as of one.
///
/// Throws UsageError, one sentence, where no step shows what its all-reduces carry. O(tasks log tasks + edges).
[[nodiscard]] Capture with_device_buckets(const Capture& capture, Bytes bound);

/// What the first step that answers shows of the buckets that it was captured with.
struct CapturedBuckets {
  std::size_t gradients = 0;
  std::vector<Bytes> sizes;       ///< of the buckets, in the order of their launches
  bool by_shapes = true;          ///< else from the grids of copies
  bool first_is_smaller = false;  ///< it ends at 1 MiB, and so does that of other bounds
};

/// Nothing where with_device_buckets() throws, or devices do not reduce. O(tasks log tasks + edges).
[[nodiscard]] std::optional<CapturedBuckets> captured_device_buckets(const Capture& capture);

/// Gradients that are reduced together: those after the previous bucket's, up to `last`.
struct Bucket {
  std::size_t last = 0;
  Bytes bytes{};
  friend bool operator==(const Bucket&, const Bucket&) = default;
};

/// How DistributedDataParallel fills its buckets: gradients in the order in which they come,
/// and a bucket closes when its bytes reach `bound`, the first when they reach `first`. O(gradients).
[[nodiscard]] std::vector<Bucket> buckets_of(std::span<const Bytes> gradients, Bytes bound, Bytes first);
/// The first is no smaller than the others, as where bucket_cap_mb is given.
[[nodiscard]] inline std::vector<Bucket> buckets_of(std::span<const Bytes> gradients, Bytes bound) {
  return buckets_of(gradients, bound, bound);
}

/// The capture as it would be with buckets of `bound`: in each step, the all-reduces of gradients
/// are replaced by those of the new buckets, each submitted when its last gradient is ready and
/// waited for where the last all-reduce was. `capture` is as under_models() gives it. Where devices reduce, as with
/// NCCL, with_device_buckets() does it.
///
/// Steps whose all-reduces are not the sum of their gradients, on some rank, stay as they are.
/// Throws UsageError if that is all of them. O(tasks log tasks + edges).
[[nodiscard]] Capture with_buckets(const Capture& capture, Bytes bound);

}  // namespace stepsim

#endif
