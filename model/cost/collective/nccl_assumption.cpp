#include "model/cost/collective/nccl_assumption.h"

#include <fmt/format.h>

#include "model/cost/collective/algorithm.h"

namespace stepsim {

Assumptions nccl_assumptions(const Dag& dag, const Cluster& cluster) {
  const CollectiveModel* const nccl = find_collective_model("nccl");
  std::size_t timed = 0;
  for (const RendezvousId rendezvous : dag.all_rendezvous()) {
    if (dag.members(rendezvous).empty()) continue;  // what new buckets replaced
    const Collective& collective = dag.collective(rendezvous);
    const CollectiveShape shape{.op = collective.op, .bytes = collective.bytes};
    if (collective.algorithm == nccl && collective.bytes > Bytes{} && nccl->supports(shape)) ++timed;
  }
  if (timed == 0) return {};
  return {{"nccl_model", fmt::format("{} collective{} time{} from NCCL's cost model (algorithm nccl), {}.", timed,
                                     timed == 1 ? " takes its" : "s take their", timed == 1 ? "" : "s",
                                     cluster.measured.empty() ? "and nothing beyond it was measured"
                                                              : "with what was measured beyond it")}};
}

}  // namespace stepsim
