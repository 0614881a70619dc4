#ifndef STEPSIM_MODEL_REWRITE_RANKS_H
#define STEPSIM_MODEL_REWRITE_RANKS_H

#include <cstddef>

#include "model/job/recording.h"

namespace stepsim {

/// The capture of a data-parallel job as it would be with `count` ranks: the first `count` of
/// those there are, and copies of them in turn beyond. A collective keeps its payload, which in
/// such a job does not grow with the ranks, and has a part of every rank.
///
/// Throws UsageError where that is not what the job does: a collective or a message that only
/// some of its ranks take part in, or a dependency between ranks outside collectives; and for
/// `count` 0, or one that makes more than 50 million tasks. O(tasks of the result, log).
[[nodiscard]] Capture with_ranks(const Capture& capture, std::size_t count);

}  // namespace stepsim

#endif
