#ifndef STEPSIM_MODEL_REWRITE_RANKS_H
#define STEPSIM_MODEL_REWRITE_RANKS_H

#include <cstddef>
#include <cstdint>
#include <optional>

#include "model/job/recording.h"

namespace stepsim {

/// Returns the number of ranks of the job if only one was captured and all collectives with a known group have the same
/// size. Otherwise returns nothing. O(members).
[[nodiscard]] std::optional<std::uint32_t> group_of_lone_rank(const Capture& capture);

/// Returns the capture of a data-parallel job as it would be with `count` ranks: the first `count` captured ones, or
/// all of them and copies of them in turn. A collective keeps its payload, which in such a job does not depend on the
/// number of ranks, and gets a member for each rank. If only one rank was captured (group_of_lone_rank()), the number
/// of assumed ranks changes; the total must not exceed kMostAbsentMembers
/// (model/job/group.h).
///
/// Throws CannotAnswer if the job cannot be resized this way: if only some ranks take part in a collective or message,
/// or if ranks depend on each other outside collectives. Throws UsageError if `count` is 0 or too large: if the result
/// has more than 10 million tasks, or more than kMostAbsentMembers assumed ranks. O(n log n) for n tasks of the result.
[[nodiscard]] Capture with_ranks(const Capture& capture, std::size_t count);

}  // namespace stepsim

#endif
