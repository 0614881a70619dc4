#ifndef STEPSIM_MODEL_REWRITE_RANKS_H
#define STEPSIM_MODEL_REWRITE_RANKS_H

#include <cstddef>
#include <cstdint>
#include <optional>

#include "model/job/recording.h"

namespace stepsim {

/// How many ranks the job has where one alone was captured and all its collectives whose group is known are of as
/// many. Nothing otherwise. O(members).
[[nodiscard]] std::optional<std::uint32_t> group_of_lone_rank(const Capture& capture);

/// The capture of a data-parallel job as it would be with `count` ranks: the first `count` of
/// those there are, and copies of them in turn beyond. A collective keeps its payload, which in
/// such a job does not grow with the ranks, and has a part of every rank. Where one rank alone was
/// captured (group_of_lone_rank()), the others stay assumed, as many as there are then: no more than
/// kMostAbsentMembers in all.
///
/// Throws UsageError, one sentence, for a job that cannot be resized so: only some of its ranks take
/// part in a collective or a message, or ranks depend on each other outside collectives; and for a
/// `count` of 0, or one that makes more than 10 million tasks. O(n log n) for n tasks of the result.
[[nodiscard]] Capture with_ranks(const Capture& capture, std::size_t count);

}  // namespace stepsim

#endif
