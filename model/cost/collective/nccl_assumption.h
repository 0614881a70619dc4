#ifndef STEPSIM_MODEL_COST_COLLECTIVE_NCCL_ASSUMPTION_H
#define STEPSIM_MODEL_COST_COLLECTIVE_NCCL_ASSUMPTION_H

#include "model/base/assumption.h"
#include "model/job/cluster.h"
#include "model/job/dag.h"

namespace stepsim {

/// That collectives of `dag` are timed by NCCL's cost model under a network model, and what is known of them beyond it;
/// nothing if none is. O(collectives).
[[nodiscard]] Assumptions nccl_assumptions(const Dag& dag, const Cluster& cluster);

}  // namespace stepsim

#endif
