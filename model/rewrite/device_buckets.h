#ifndef STEPSIM_MODEL_REWRITE_DEVICE_BUCKETS_H
#define STEPSIM_MODEL_REWRITE_DEVICE_BUCKETS_H

#include <cstddef>
#include <optional>
#include <vector>

#include "model/base/units.h"
#include "model/job/recording.h"

namespace stepsim {

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

}  // namespace stepsim

#endif
