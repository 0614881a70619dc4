#ifndef STEPSIM_INGEST_STITCH_HOST_DEVICE_PAYLOAD_H
#define STEPSIM_INGEST_STITCH_HOST_DEVICE_PAYLOAD_H

#include <cstddef>
#include <vector>

#include "ingest/stitch/host_device/collectives.h"
#include "model/job/collective.h"

namespace stepsim::ingest {

/// What a matched collective transfers, as far as the traces say: operation, size, the algorithm that is
/// in a kernel's name, and of a message which of the two is the sender.
///
/// The size is 0 where nothing says it, or where members are missing: some of the ranks that its group
/// lists, or of the job's `world` ranks. Network models then keep the recorded durations. If only one rank
/// was read, its part stands for the parts of all members.
[[nodiscard]] Collective payload_of(const MatchedCollective& match, const std::vector<RankEvents>& ranks,
                                    std::size_t world);

}  // namespace stepsim::ingest

#endif
