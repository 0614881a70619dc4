#ifndef STEPSIM_MODEL_JOB_TIMED_COLLECTIVE_H
#define STEPSIM_MODEL_JOB_TIMED_COLLECTIVE_H

#include <cstdint>
#include <string>

#include "model/base/units.h"
#include "model/job/collective.h"

namespace stepsim {

/// One measured time of a collective that had the machine to itself: a line of nccl-tests.
struct TimedCollective {
  CollectiveOp op = CollectiveOp::kAllReduce;
  std::uint32_t ranks = 2;
  std::uint32_t hosts = 1;  ///< at most ranks
  std::string device;       ///< as the driver names it; may be empty
  Bytes bytes{};            ///< as Collective::bytes; above 0
  Duration time{};          ///< above 0
};

/// The ops of NCCL, as nccl-tests and cluster.yaml name them: "all_reduce"; empty for others.
[[nodiscard]] constexpr const char* name_of(CollectiveOp op) noexcept {
  switch (op) {
    case CollectiveOp::kAllReduce: return "all_reduce";
    case CollectiveOp::kReduceScatter: return "reduce_scatter";
    case CollectiveOp::kAllGather: return "all_gather";
    case CollectiveOp::kBroadcast: return "broadcast";
    case CollectiveOp::kReduce: return "reduce";
    default: return "";
  }
}

/// All that have a name, in a fixed order.
inline constexpr CollectiveOp kNamedOps[] = {CollectiveOp::kAllReduce, CollectiveOp::kReduceScatter,
                                             CollectiveOp::kAllGather, CollectiveOp::kBroadcast, CollectiveOp::kReduce};

}  // namespace stepsim

#endif
