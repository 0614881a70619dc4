#ifndef STEPSIM_INGEST_STITCH_HOST_DEVICE_PAYLOAD_H
#define STEPSIM_INGEST_STITCH_HOST_DEVICE_PAYLOAD_H

#include <cstddef>
#include <string_view>
#include <vector>

#include "ingest/stitch/host_device/collectives.h"
#include "model/job/collective.h"

namespace stepsim::ingest {

/// One word for what c10d ("_allgather_base_"), gloo ("all_gather") and NCCL ("AllGather") call
/// by different names: "allgather". Empty for names that are no operation's.
[[nodiscard]] std::string_view operation_of(std::string_view name);

/// What a matched collective transfers, as far as the traces say: operation, size, the
/// algorithm that a kernel's name tells, and the sender's place of a message. The size is 0, so
/// that recorded durations hold, where nothing tells it or where members are missing: of the
/// ranks that its group lists, or of the job's `world`. A rank that is alone tells for all.
[[nodiscard]] Collective payload_of(const MatchedCollective& match, const std::vector<RankEvents>& ranks,
                                    std::size_t world);

}  // namespace stepsim::ingest

#endif
