#ifndef STEPSIM_MODEL_REWRITE_OVERLAP_H
#define STEPSIM_MODEL_REWRITE_OVERLAP_H

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/job/recording.h"

namespace stepsim {

// A capture shows when collectives started and what waited for them, but not which task read their data. Therefore the
// caller decides which collectives can be moved, and these functions change when they start and what waits for them.
// `members` are tasks of rendezvous in ascending order. The members of one rank in one step form a group.

/// Returns the number of collectives in `members` that have an early waiter. This is a task that waits for the
/// collective and started before the last of `members` in the same step of the same rank. with_late_waits() moves these
/// waits. O(tasks + edges).
[[nodiscard]] std::size_t early_waits(const Capture& capture, const std::vector<TaskId>& members);

/// Makes the collectives `members` asynchronous: a task that waited for one of them before the last one of the step
/// started no longer waits for it. A task that waits for the last one waits for all of them, because the optimizer
/// needs all gradients together. Collectives on one stream or thread keep their order. O(tasks log tasks + edges).
[[nodiscard]] Capture with_late_waits(const Capture& capture, const std::vector<TaskId>& members);

/// Prefetches the collectives `members`. A collective no longer waits for the launches, signals and work of other
/// streams that it waited for. Instead, it waits for what the collective `ahead` places earlier in its step waited for,
/// or for what the first one waited for. It still waits for the previous one, unless both ran at the same time in the
/// recording, and for earlier collectives on its stream or thread. Precondition: ahead >= 1. O(tasks log tasks +
/// edges).
[[nodiscard]] Capture with_prefetch(const Capture& capture, const std::vector<TaskId>& members, std::uint32_t ahead);

/// Runs one collective at a time on each lane that ran several concurrently. The threads of a library's pool share
/// connections, on which messages of one collective can delay those of another. O(tasks log tasks + edges).
[[nodiscard]] Capture with_collectives_in_turn(const Capture& capture);

/// True if the capture has copies between host and device on streams. O(tasks).
[[nodiscard]] bool has_stream_copies(const Capture& capture);

/// Moves copies between host and device from their streams to copy engines, one for each device and direction. A copy
/// to the device no longer waits for the kernels before it on its stream, but the kernels after it still wait for it. A
/// copy to the host still waits for the kernels before it, but the kernels after it no longer wait for it. O(tasks log
/// tasks + edges).
[[nodiscard]] Capture with_copy_engines(const Capture& capture);

}  // namespace stepsim

#endif
