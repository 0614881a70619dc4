#ifndef STEPSIM_INGEST_STITCH_HOST_DEVICE_COMMUNICATORS_H
#define STEPSIM_INGEST_STITCH_HOST_DEVICE_COMMUNICATORS_H

#include <vector>

#include "ingest/stitch/host_device/host_device.h"

namespace stepsim::ingest {

/// Where traces name groups of ranks by their communicators, gives all of them the job's numbers: each trace knows its
/// own place in a group, so together they know the members. The texts of groups become "[0, 2] nccl 0x1f", with a
/// question mark for a member whose trace was not read, and peers of messages become ranks of the job, or none if that
/// is not known. A group of the whole job, as far as traces tell, has its ranks in the job's order.
/// O(communicators * members + events).
void resolve_communicators(std::vector<RankTrace>& ranks);

}  // namespace stepsim::ingest

#endif
