#ifndef STEPSIM_MODEL_REWRITE_RANKS_H
#define STEPSIM_MODEL_REWRITE_RANKS_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "model/job/recording.h"

namespace stepsim {

/// Returns the number of ranks of the job if only one was captured and all collectives with a known group have the same
/// size. Otherwise returns nothing. O(members).
[[nodiscard]] std::optional<std::uint32_t> group_of_lone_rank(const Capture& capture);

/// Tells which ranks differ from the others.
using IsRank = std::function<bool(Rank rank)>;

/// All ranks differ: each has tasks of its own.
[[nodiscard]] inline bool every_rank(Rank /*rank*/) { return true; }

/// Returns the capture of a data-parallel job as it would be with `count` ranks: the first `count` captured ones, or
/// all of them and copies of them in turn. A collective keeps its payload, which in such a job does not depend on the
/// number of ranks, and gets a member for each rank. If only one rank was captured (group_of_lone_rank()), the number
/// of assumed ranks changes.
///
/// Ranks that do the same at the same time are one class, and only the first of them has tasks: the others are listed
/// in Group::copy_of. A rank and its copies are a class, but for ranks for which `differs` returns true, which have
/// tasks of their own. If it is true for all ranks, there are no classes. That ranks of a class do the same holds until
/// the replay of a collective contradicts it (CopiesDiffer, sim/engine/engine.h).
///
/// Throws CannotAnswer if the job cannot be resized this way: if only some ranks take part in a collective or message,
/// or if ranks depend on each other outside collectives. Throws UsageError if `count` is 0 or too large: if the result
/// has more than 10 million tasks, or more assumed ranks than can_simulate_members() allows. O(n log n) for n tasks of
/// the result, and O(count) for each group.
[[nodiscard]] Capture with_ranks(const Capture& capture, std::size_t count, const IsRank& differs);

}  // namespace stepsim

#endif
