#ifndef STEPSIM_INGEST_STITCH_HOST_DEVICE_HOST_COMPUTE_H
#define STEPSIM_INGEST_STITCH_HOST_DEVICE_HOST_COMPUTE_H

#include <vector>

#include "ingest/stitch/host_device/rank_events.h"

namespace stepsim::ingest {

/// By event: whether it is an operator that computes on samples, on a rank that shows no device
/// and so computes on its host. Not those of the optimizer and of communication, nor, where
/// shapes were recorded, those that take nothing but parameters or gradients: tensors shaped like
/// what the optimizer was given, or of one dimension, as buckets and shards are. An operator
/// without shapes is what the one around it is. Empty for a rank with a device.
/// O(events + operators * length of their shapes).
[[nodiscard]] std::vector<bool> computing_events(const RankEvents& events);

}  // namespace stepsim::ingest

#endif
