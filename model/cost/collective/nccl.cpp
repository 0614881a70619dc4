#include "model/cost/collective/algorithm.h"
#include "model/cost/collective/nccl_times.h"

namespace stepsim {

extern const CollectiveModel ring_collective;

namespace {

// Calibration and other code that reads rounds always get the rounds of a ring, whichever algorithm NCCL chooses,
// because bus bandwidths count the bytes that a ring moves.

bool nccl_supports(const CollectiveShape& shape) { return is_nccl_collective(shape.op); }

std::uint32_t nccl_rounds(const CollectiveShape& shape) { return ring_collective.rounds(shape); }

void nccl_sends(const CollectiveShape& shape, std::uint32_t member, std::uint32_t round, std::vector<Send>& sends) {
  ring_collective.sends(shape, member, round, sends);
}

std::uint32_t nccl_receives(const CollectiveShape& shape, std::uint32_t member, std::uint32_t round) {
  return ring_collective.receives(shape, member, round);
}

Duration nccl_closed_form(const CollectiveShape& shape, const MessageCost& cost) {
  return ring_collective.closed_form(shape, cost);
}

}  // namespace

extern const CollectiveModel nccl_collective{
    .name = "nccl",
    .summary = "NCCL's cost model: the cheapest of ring, tree or NVLS with LL, LL128 or Simple",
    .formula =
        "least over algorithms and protocols of base + hops * latency + traffic * bytes / bandwidth, plus what "
        "was measured beyond it",
    .source = "NVIDIA/nccl, src/graph/tuning.cc and topo.h, 2.19 to 2.28",
    .ignores =
        "NCCL's corrections of trees by size, caps by channel, CollNet, PAT, user buffers, settings in NCCL_* "
        "variables",
    .supports = nccl_supports,
    .rounds = nccl_rounds,
    .sends = nccl_sends,
    .receives = nccl_receives,
    .closed_form = nccl_closed_form,
    .whole = nccl_time,
};

}  // namespace stepsim
