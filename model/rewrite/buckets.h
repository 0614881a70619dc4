#ifndef STEPSIM_MODEL_REWRITE_BUCKETS_H
#define STEPSIM_MODEL_REWRITE_BUCKETS_H

#include <cstddef>
#include <span>
#include <vector>

#include "model/base/units.h"
#include "model/job/recording.h"

namespace stepsim {

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
/// NCCL, see device_buckets.h.
///
/// Steps whose all-reduces are not the sum of their gradients, on some rank, stay as they are.
/// Throws UsageError if that is all of them. O(tasks log tasks + edges).
[[nodiscard]] Capture with_buckets(const Capture& capture, Bytes bound);

}  // namespace stepsim

#endif
