#ifndef STEPSIM_INGEST_STITCH_HOST_DEVICE_DEVICE_WAITS_H
#define STEPSIM_INGEST_STITCH_HOST_DEVICE_DEVICE_WAITS_H

#include <cstdint>
#include <vector>

#include "ingest/stitch/host_device/blocking_calls.h"
#include "ingest/stitch/host_device/host_thread.h"
#include "ingest/stitch/host_device/stream_order.h"
#include "ingest/stitch/host_device/stream_waits.h"

namespace stepsim::ingest {

/// What a rank's device work, and the host threads that used it, waited for.
struct DeviceWaits {
  StreamOrder order;
  DeviceDelays delays;
  BlockingCalls calls;
  std::vector<HostWait> polls;  ///< waits without a call (polling.h)
  std::vector<StreamWait> streams;
  std::uint64_t unresolved_syncs = 0;  ///< cuda_sync events that name something the trace lacks
};

/// Finds all of these. Waits between streams come from cuda_sync events, else from the framework's
/// calls; in both cases times complete them. Clips small overlaps in events.ops, sets
/// DeviceOp::launched, and enters waits and cuts into `threads`. O(events log events), on as many threads of the
/// machine as `threads_at_once` says.
[[nodiscard]] DeviceWaits find_device_waits(RankEvents& events, std::vector<HostThread>& threads, int threads_at_once);

}  // namespace stepsim::ingest

#endif
