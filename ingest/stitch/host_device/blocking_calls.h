#ifndef STEPSIM_INGEST_STITCH_HOST_DEVICE_BLOCKING_CALLS_H
#define STEPSIM_INGEST_STITCH_HOST_DEVICE_BLOCKING_CALLS_H

#include <cstdint>
#include <vector>

#include "ingest/stitch/host_device/host_thread.h"
#include "ingest/stitch/host_device/sync_events.h"

namespace stepsim::ingest {

/// A host thread waited for device work inside a runtime call.
struct HostWait {
  std::uint32_t op = 0;      ///< what it waited for: index into RankEvents::ops
  std::uint32_t thread = 0;  ///< index into RankEvents::threads
  Time resume;               ///< when the thread went on
  bool inferred = true;      ///< from times; no cuda_sync event tells of it
};

struct BlockingCalls {
  std::vector<HostWait> waits;
  std::uint64_t inferred = 0;     ///< waits told from times, because no cuda_sync event tells of them
  std::uint64_t full_queue = 0;   ///< launches that waited for room in the launch queue
  std::uint64_t unexplained = 0;  ///< long synchronising calls during which no recorded work ended
};

/// Finds which runtime calls waited for which device work, and enters the waits and the instants at
/// which threads went on into `threads`.
///
/// Where a cuda_sync event belongs to a call, it says what the call waited for. Otherwise a call is
/// taken to have waited if calls of its kind can (runtime_calls.h), and work that it could wait for
/// ended while it ran; docs/stitching.md has the conditions for each kind.
/// Precondition: find_launch_times() has run. O(events log events).
[[nodiscard]] BlockingCalls find_blocking_calls(const RankEvents& events, const SyncEvents& syncs,
                                                std::vector<HostThread>& threads);

}  // namespace stepsim::ingest

#endif
