#ifndef STEPSIM_INGEST_STITCH_HOST_DEVICE_DEVICE_WAITS_H
#define STEPSIM_INGEST_STITCH_HOST_DEVICE_DEVICE_WAITS_H

#include <cstdint>
#include <vector>

#include "ingest/stitch/host_device/thread_plan.h"

namespace stepsim::ingest {

/// A host thread that waited for device work inside a call: it goes on at `resume`.
struct HostWait {
  std::uint32_t op = 0;      ///< index into RankEvents::ops
  std::uint32_t thread = 0;  ///< index into RankEvents::threads
  Time resume;
};

/// Device work that another piece of device work waited for across streams.
struct StreamWait {
  enum class Why : std::uint8_t {
    kRecorded,   ///< a cuda_sync event says so
    kFramework,  ///< PyTorch makes it wait (framework_waits.h)
    kInferred,   ///< it began right after the other's end
    kRoom,       ///< it began in the tail of the other, when blocks of that made room
  };
  std::uint32_t before = 0;  ///< indices into RankEvents::ops
  std::uint32_t after = 0;
  Why why = Why::kRecorded;
};

/// Usual delays of this device, found in the recording itself: medians, in which the many
/// undisturbed launches outvote the few that waited for something.
struct DeviceDelays {
  Duration launch{};  ///< end of the launching call to start of the work, stream idle
  Duration turn{};    ///< end of one piece of work to start of the next of its stream, queue full
};

/// Where the recording lets one stream's pieces overlap by less than this (or a tenth of the
/// earlier one), the earlier is clipped; more, and they ran side by side.
inline constexpr Duration kOverlapGrain{2'000};

/// What of device work is decided before tasks are made.
struct DevicePlan {
  /// Row within its stream for each op: 0 except where pieces of one stream ran side by side.
  std::vector<std::uint32_t> row;
  /// The op that ended last before this one began on its stream; kNoIndex for the first.
  std::vector<std::uint32_t> previous;
  std::vector<HostWait> host_waits;
  std::vector<StreamWait> stream_waits;
  DeviceDelays delays;
  std::uint64_t inferred_host_waits = 0;
  std::uint64_t full_queue_waits = 0;
  std::uint64_t unresolved_syncs = 0;
  std::uint64_t unexplained_blocking = 0;  ///< blocking calls for which no device work was found
};

/// Orders device work on its streams (clipping small overlaps in `events.ops`), finds when each
/// piece was handed over (DeviceOp::launched), which
/// host calls waited for which work and which streams for each other, from cuda_sync events
/// where there are any and from the times otherwise, and enters the waits and cuts into the
/// host threads' plans. A host call is taken to have waited if its kind can (synchronise, copy,
/// allocate, free, or a launch into a full queue) and work it could wait for ended while it
/// ran. O(events log events).
[[nodiscard]] DevicePlan plan_device(RankEvents& events, std::vector<ThreadPlan>& plans);

}  // namespace stepsim::ingest

#endif
