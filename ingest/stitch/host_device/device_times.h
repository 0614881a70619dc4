#ifndef STEPSIM_INGEST_STITCH_HOST_DEVICE_DEVICE_TIMES_H
#define STEPSIM_INGEST_STITCH_HOST_DEVICE_DEVICE_TIMES_H

#include <cstdint>
#include <map>

#include "ingest/stitch/host_device/rank_events.h"

namespace stepsim::ingest {

/// Clocks of a device and its host differ by far less than this, even while they are being adjusted, unless the
/// profiler did not relate them.
inline constexpr Duration kClocksApart{1'000'000};

/// Returns how far the clock of each device is ahead of the host's, negative if it is behind; devices whose clocks
/// agree within kClocksApart are not listed.
///
/// A clock counts as behind if work begins before its launch, and as ahead if work ends after a wait for it returned.
/// This must be seen in each third of the launches, or of the waits, because a clock that jumps is right until then.
/// The offset is the median of the largest differences in the thirds. Queued work does not show a clock that is behind,
/// so it is not noticed if the queue is never empty. Waits are used only for a rank with one device. Preconditions:
/// those of mend_device_times(). O(ops log ops + calls).
[[nodiscard]] std::map<std::int32_t, Duration> device_clock_offsets(const RankEvents& events);

/// Finds device work whose recorded times cannot be right, because a device runs the work of one stream in the order of
/// its launches, and nothing before its launch. Such times come from clocks that jump and from counters that overflow.
/// Work that no known call launched is not examined, nor are kernels of one CUDA graph compared with each other.
///
/// * Work that began more than 1 ms before its launch: if its call has other work, later, the number of that call was
///   used twice, and this work was launched before the recording. Otherwise the work is left out.
/// * Work that began more than an hour after its launch, or more than a second after most of the next eight pieces of
///   its stream had ended, is left out.
/// * Work that ended after a later piece of its stream, or more than 1 ms after a wait for the whole device returned,
///   is cut where that piece began or the wait returned.
///
/// Sets the counts in `events` that report this, and removes what is left out from `events.ops`. Precondition: calls
/// are sorted and linked, and `events.ops` are sorted by begin. O(ops log ops + calls).
void mend_device_times(RankEvents& events);

}  // namespace stepsim::ingest

#endif
