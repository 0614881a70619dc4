#ifndef STEPSIM_MODEL_JOB_MEASURED_COLLECTIVE_H
#define STEPSIM_MODEL_JOB_MEASURED_COLLECTIVE_H

#include <cstdint>
#include <utility>
#include <vector>

#include "model/base/units.h"
#include "model/job/collective.h"

namespace stepsim {

/// What one operation takes among some ranks, by size: a table of nccl-tests, or what a capture shows. The collective
/// model `nccl` goes by it (model/cost/collective/nccl_times.h).
struct MeasuredCollective {
  CollectiveOp op = CollectiveOp::kAllReduce;
  std::uint32_t ranks = 2;
  std::uint32_t hosts = 1;  ///< that the ranks were on
  Bandwidth link;           ///< what the links of the cluster carried then, as the model sees them
  Bandwidth bandwidth;      ///< the bus bandwidth that the model takes for large sizes over such links
  std::vector<std::pair<Bytes, Duration>> times;  ///< by payload (Collective::bytes), ascending; at least one
  friend bool operator==(const MeasuredCollective&, const MeasuredCollective&) = default;
};

}  // namespace stepsim

#endif
