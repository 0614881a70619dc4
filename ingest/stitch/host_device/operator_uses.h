#ifndef STEPSIM_INGEST_STITCH_HOST_DEVICE_OPERATOR_USES_H
#define STEPSIM_INGEST_STITCH_HOST_DEVICE_OPERATOR_USES_H

#include <cstdint>
#include <vector>

#include "ingest/stitch/host_device/rank_events.h"

namespace stepsim::ingest {

/// The operator whose call had a piece of device work launched.
struct OperatorUse {
  std::uint32_t which = kNoIndex;  ///< index into HostDeviceTrace::operators; kNoIndex: none with a recorded shape
  std::uint32_t occurrence = 0;    ///< number of the call, in order of its start
  bool in_optimizer = false;       ///< an "Optimizer." annotation is around the call
};

/// By RankEvents::ops: of the operators around the launching call the innermost one whose
/// shapes were recorded. Empty where no shapes were. O(events log events).
[[nodiscard]] std::vector<OperatorUse> find_operator_uses(const RankEvents& events);

}  // namespace stepsim::ingest

#endif
