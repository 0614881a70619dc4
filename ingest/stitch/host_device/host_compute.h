#ifndef STEPSIM_INGEST_STITCH_HOST_DEVICE_HOST_COMPUTE_H
#define STEPSIM_INGEST_STITCH_HOST_DEVICE_HOST_COMPUTE_H

#include <vector>

#include "ingest/stitch/host_device/rank_events.h"

namespace stepsim::ingest {

/// Says for each event whether it is an operator that computes on samples, for a rank without a device,
/// which computes on its host. Empty for a rank with device work.
///
/// Operators of the optimizer and of communication do not. Where shapes were recorded, neither do those
/// that take nothing but parameters or gradients: tensors with the shape of something the optimizer was
/// given (transposed or not), or with one dimension, as buckets and shards have. An operator without shapes
/// counts as the one around it does. O(events + operators * length of their shapes).
[[nodiscard]] std::vector<bool> computing_events(const RankEvents& events);

}  // namespace stepsim::ingest

#endif
