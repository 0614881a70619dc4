#ifndef STEPSIM_INGEST_STITCH_HOST_DEVICE_STREAM_ORDER_H
#define STEPSIM_INGEST_STITCH_HOST_DEVICE_STREAM_ORDER_H

#include <cstdint>
#include <vector>

#include "ingest/stitch/host_device/rank_events.h"

namespace stepsim::ingest {

/// Two pieces of one stream that overlap by up to this, or by a tenth of the earlier one, ran one
/// after the other: the clock is that coarse. If they overlap by more, they ran side by side.
inline constexpr Duration kOverlapGrain{2'000};

/// In which order the work of each stream ran.
struct StreamOrder {
  /// By op: its row within its stream. 0 except where pieces of one stream ran side by side.
  std::vector<std::uint32_t> row;
  /// By op: the op of its stream that ended last before it began; kNoIndex if there is none.
  std::vector<std::uint32_t> previous;
};

/// Orders the work of each stream. Where two pieces overlap within the grain, the end of the earlier
/// one is clipped in events.ops. A stream gets 16 rows at most. O(ops log ops).
[[nodiscard]] StreamOrder order_streams(RankEvents& events);

/// Whether the call that started a copy waited for it: the copy ended during the call, or, of a pageable buffer, at
/// most 100 us after it, because the call returns when the last part has been staged. Precondition: `op` has a call.
[[nodiscard]] bool is_awaited_copy(const RankEvents& events, const DeviceOp& op);

/// Sets DeviceOp::launched of all ops with a call: when the call returned or the op began, whichever
/// was first. A copy that its call waits for was handed over as the call began if it then stood
/// behind other work of its stream; else the call was busy until the copy began (it staged a
/// pageable buffer).
void find_launch_times(RankEvents& events, const StreamOrder& order);

/// The usual delays of a device, found in the recording itself. They are medians: the many launches
/// that nothing disturbed outvote the few that waited for something.
struct DeviceDelays {
  Duration launch{};  ///< from the end of the launching call to the start of the work, the stream being idle
  Duration turn{};    ///< from the end of one piece of work to the start of the next one on its stream
};

/// At most 20 us and 5 us, so that a recording in which most launches wait for something does not
/// make waiting look usual. find_launch_times() has run.
[[nodiscard]] DeviceDelays usual_delays(const RankEvents& events, const StreamOrder& order);

}  // namespace stepsim::ingest

#endif
