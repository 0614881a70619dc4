#ifndef STEPSIM_INGEST_STITCH_HOST_DEVICE_STREAM_WAITS_H
#define STEPSIM_INGEST_STITCH_HOST_DEVICE_STREAM_WAITS_H

#include <cstdint>
#include <vector>

#include "ingest/stitch/host_device/rank_events.h"
#include "ingest/stitch/host_device/stream_order.h"

namespace stepsim::ingest {

/// A piece of device work waited for another one, of another stream.
struct StreamWait {
  enum class Why : std::uint8_t {
    kRecorded,   ///< a cuda_sync event says so
    kData,       ///< it uses memory that the other one wrote (data_waits.h)
    kFramework,  ///< PyTorch's calls imply it (framework_waits.h)
    kInferred,   ///< it began right after the other one ended
    kRoom,       ///< it began in the tail of the other one, whose first blocks had left room by then
  };
  std::uint32_t before = 0;  ///< the work that was waited for: index into RankEvents::ops
  std::uint32_t after = 0;   ///< the work that waited: index into RankEvents::ops
  Why why = Why::kRecorded;
};

/// Infers from times what device work waited for on other streams of its device, where it began
/// later than `order`, its launch and the known `waits` explain: for work that ended shortly before
/// it began, else for room that was left by work in its tail. Adds these to `waits`.
/// O(ops log ops): at most 64 candidates are looked at for each piece of work.
void infer_stream_waits(const RankEvents& events, const StreamOrder& order, const DeviceDelays& delays,
                        std::vector<StreamWait>& waits);

}  // namespace stepsim::ingest

#endif
