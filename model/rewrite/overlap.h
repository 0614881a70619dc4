#ifndef STEPSIM_MODEL_REWRITE_OVERLAP_H
#define STEPSIM_MODEL_REWRITE_OVERLAP_H

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/job/recording.h"

namespace stepsim {

// A capture shows when collectives were started and what waited for them, but not what read their data. What data they
// carry is therefore for the caller to say: these functions move the starts and the waits of given collectives.
// `members` are tasks of rendezvous, ascending. Those of one rank in one step belong together, in their order.

/// How many members of each step are waited for before its last one has started: the waits that with_late_waits()
/// moves. O(tasks + edges).
[[nodiscard]] std::size_t early_waits(const Capture& capture, const std::vector<TaskId>& members);

/// The capture with asynchronous collectives: what waited for a member before the last one of its step started no
/// longer waits for it. What waits for the last one waits for all: gradients are needed together, by the optimizer.
/// Collectives on one stream or thread stay in their order. O(tasks log tasks + edges).
[[nodiscard]] Capture with_late_waits(const Capture& capture, const std::vector<TaskId>& members);

/// The capture with prefetched collectives: each member waits for what the one `ahead` places before it in its step
/// waited for, or the first one, instead of what it waited for itself: launches, hand-overs and the other streams'
/// work. It still waits for the member before it, unless the two were recorded at the same time, and for collectives
/// before it on its stream or thread. Precondition: ahead >= 1. O(tasks log tasks + edges).
[[nodiscard]] Capture with_prefetch(const Capture& capture, const std::vector<TaskId>& members, std::uint32_t ahead);

/// The capture with one collective at a time on each lane that has several at once: a library's pool of threads shares
/// connections, on which the messages of one collective may hold up those of another. O(tasks log tasks + edges).
[[nodiscard]] Capture with_collectives_in_turn(const Capture& capture);

/// Whether the capture has copies between host and device on streams. O(tasks).
[[nodiscard]] bool has_stream_copies(const Capture& capture);

/// The capture with such copies on engines, one for each device and direction. A copy to the device no longer waits for
/// the kernels before it on its stream, but the kernels after it still wait for it. A copy to the host still waits for
/// the kernels before it, but the kernels after it no longer wait for it. O(tasks log tasks + edges).
[[nodiscard]] Capture with_copies_apart(const Capture& capture);

}  // namespace stepsim

#endif
