#ifndef STEPSIM_INGEST_STITCH_HOST_DEVICE_DEVICE_WAITS_H
#define STEPSIM_INGEST_STITCH_HOST_DEVICE_DEVICE_WAITS_H

#include <cstdint>
#include <vector>

#include "ingest/stitch/host_device/host_threads.h"
#include "ingest/stitch/host_device/rank_events.h"

namespace stepsim::ingest {

/// The order in which the work of each stream ran.
struct StreamOrder {
  /// The row of each op within its stream. The work on one row never overlaps, except on the last of 16 rows. All rows
  /// are 0 unless work of the stream ran in parallel.
  std::vector<std::uint32_t> row;
  /// For each op, the op of its stream that was the last to end before it began; kNoIndex if there is none.
  std::vector<std::uint32_t> previous;
};

/// The usual delays of a device, measured in the recording itself. They are medians, so the many undisturbed launches
/// outweigh the few that waited for something.
struct DeviceDelays {
  Duration launch{};  ///< from the end of the launching call to the start of the work, on an idle stream
  Duration turn{};    ///< from the end of one piece of work to the start of the next one on its stream
};

/// A wait of a host thread for device work inside a runtime call.
struct HostWait {
  std::uint32_t op = 0;      ///< the work waited for, as an index into RankEvents::ops
  std::uint32_t thread = 0;  ///< index into RankEvents::threads
  Time resume;               ///< when the thread continued
  bool inferred = true;      ///< inferred from times, because no cuda_sync event shows the wait
};

struct BlockingCalls {
  std::vector<HostWait> waits;
  std::uint64_t inferred = 0;     ///< waits inferred from times, because no cuda_sync event shows them
  std::uint64_t full_queue = 0;   ///< launches that waited for room in the launch queue
  std::uint64_t unexplained = 0;  ///< synchronising calls that returned long after the end of all recorded work
};

/// A wait of device work for work on another stream.
struct StreamWait {
  enum class Why : std::uint8_t {
    kRecorded,   ///< a cuda_sync event says so
    kData,       ///< it uses memory that the other work wrote
    kFramework,  ///< PyTorch's calls imply it
    kInferred,   ///< it began right after the other work ended
    kRoom,       ///< it began in the tail of the other work, whose first blocks had left room by then
  };
  std::uint32_t before = 0;  ///< the work that was waited for: index into RankEvents::ops
  std::uint32_t after = 0;   ///< the work that waited: index into RankEvents::ops
  Why why = Why::kRecorded;
};

/// The waits of a rank's device work, and those of the host threads that waited for it.
struct DeviceWaits {
  StreamOrder order;
  DeviceDelays delays;
  BlockingCalls calls;
  std::vector<HostWait> polls;  ///< waits without a call
  std::vector<StreamWait> streams;
  std::uint64_t unresolved_syncs = 0;  ///< cuda_sync events that name something the trace lacks
};

/// Finds all waits with the passes in device_wait_passes.h. Waits between streams come from cuda_sync events, else from
/// the framework's calls, and are completed by inference from times. Clips small overlaps in events.ops, sets
/// DeviceOp::launched, and enters waits and cuts into `threads`. O(events log events), on up to `threads_at_once` CPU
/// threads.
[[nodiscard]] DeviceWaits find_device_waits(RankEvents& events, std::vector<HostThread>& threads, int threads_at_once);

}  // namespace stepsim::ingest

#endif
