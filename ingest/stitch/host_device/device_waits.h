#ifndef STEPSIM_INGEST_STITCH_HOST_DEVICE_DEVICE_WAITS_H
#define STEPSIM_INGEST_STITCH_HOST_DEVICE_DEVICE_WAITS_H

#include <cstdint>
#include <vector>

#include "ingest/stitch/host_device/host_threads.h"
#include "ingest/stitch/host_device/rank_events.h"

namespace stepsim::ingest {

/// In which order the work of each stream ran.
struct StreamOrder {
  /// By op: its row within its stream. 0 except where pieces of one stream ran side by side.
  std::vector<std::uint32_t> row;
  /// By op: the op of its stream that ended last before it began; kNoIndex if there is none.
  std::vector<std::uint32_t> previous;
};

/// The usual delays of a device, found in the recording itself. They are medians: the many launches
/// that nothing disturbed outvote the few that waited for something.
struct DeviceDelays {
  Duration launch{};  ///< from the end of the launching call to the start of the work, the stream being idle
  Duration turn{};    ///< from the end of one piece of work to the start of the next one on its stream
};

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

/// A piece of device work waited for another one, of another stream.
struct StreamWait {
  enum class Why : std::uint8_t {
    kRecorded,   ///< a cuda_sync event says so
    kData,       ///< it uses memory that the other one wrote
    kFramework,  ///< PyTorch's calls imply it
    kInferred,   ///< it began right after the other one ended
    kRoom,       ///< it began in the tail of the other one, whose first blocks had left room by then
  };
  std::uint32_t before = 0;  ///< the work that was waited for: index into RankEvents::ops
  std::uint32_t after = 0;   ///< the work that waited: index into RankEvents::ops
  Why why = Why::kRecorded;
};

/// What a rank's device work, and the host threads that used it, waited for.
struct DeviceWaits {
  StreamOrder order;
  DeviceDelays delays;
  BlockingCalls calls;
  std::vector<HostWait> polls;  ///< waits without a call
  std::vector<StreamWait> streams;
  std::uint64_t unresolved_syncs = 0;  ///< cuda_sync events that name something the trace lacks
};

/// Finds all of these by the passes in device_wait_passes.h. Waits between streams come from cuda_sync events, else
/// from the framework's calls; in both cases times complete them. Clips small overlaps in events.ops, sets
/// DeviceOp::launched, and enters waits and cuts into `threads`. O(events log events), on as many threads of the
/// machine as `threads_at_once` says.
[[nodiscard]] DeviceWaits find_device_waits(RankEvents& events, std::vector<HostThread>& threads, int threads_at_once);

}  // namespace stepsim::ingest

#endif
