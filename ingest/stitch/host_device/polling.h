#ifndef STEPSIM_INGEST_STITCH_HOST_DEVICE_POLLING_H
#define STEPSIM_INGEST_STITCH_HOST_DEVICE_POLLING_H

#include <vector>

#include "ingest/stitch/host_device/blocking_calls.h"
#include "ingest/stitch/host_device/host_thread.h"

namespace stepsim::ingest {

/// Finds where a host thread polls for device work without a call that says so: DeepEP's dispatch reads a
/// counter in the host's memory until the kernel notify_dispatch has written it. Enters the waits and the
/// instants at which the threads went on into `threads`, and returns them.
///
/// The evidence is that it happens again and again. A thread is silent, or inside one operator, for more than
/// 100 us, and goes on within a tenth of that time, at most 100 us, of the end of the work that it launched last.
/// For work of one name this must be so at least three times, and in three of four such silences. A kernel may
/// let the host go on shortly before it ends; the wait is then taken to last until the end.
///
/// Call after explain_silences(): what other threads explain is no polling. Precondition: find_launch_times() has
/// run. O(events log events).
[[nodiscard]] std::vector<HostWait> find_polls(const RankEvents& events, std::vector<HostThread>& threads);

}  // namespace stepsim::ingest

#endif
