#include "model/cost/collective/algorithm.h"
#include "model/cost/collective/nccl_times.h"

namespace stepsim {
namespace {

bool nccl_supports(const CollectiveShape& shape) {
  return is_nccl_collective(shape.op) && shape.buffered == Bytes{} &&
         (shape.op != CollectiveOp::kSendRecv || direct_collective.supports(shape));
}

/// Returns the algorithm for code that reads rounds, such as calibration: a ring, whichever algorithm NCCL chooses,
/// because bus bandwidths count the bytes that a ring moves; for all-to-alls and messages, pairwise exchanges.
const CollectiveModel& rounds_of(const CollectiveShape& shape) {
  return is_ring_collective(shape.op) ? ring_collective : direct_collective;
}

std::uint32_t nccl_rounds(const CollectiveShape& shape) { return rounds_of(shape).rounds(shape); }

void nccl_sends(const CollectiveShape& shape, std::uint32_t member, std::uint32_t round, std::vector<Send>& sends) {
  rounds_of(shape).sends(shape, member, round, sends);
}

std::uint32_t nccl_receives(const CollectiveShape& shape, std::uint32_t member, std::uint32_t round) {
  return rounds_of(shape).receives(shape, member, round);
}

MemberTraffic nccl_traffic_of(const CollectiveShape& shape, std::uint32_t member) {
  return rounds_of(shape).traffic(shape, member);
}

Duration nccl_closed_form(const CollectiveShape& shape, const MessageCost& cost) {
  return rounds_of(shape).closed_form(shape, cost);
}

}  // namespace

extern const CollectiveModel nccl_collective{
    .name = "nccl",
    .summary = "what NCCL takes: the fastest of ring, tree or NVLS; exchanges for all-to-alls and messages",
    .formula =
        "latency + transfer + 1.45 sqrt(latency min(transfer, 4.5 latency)), or the measured time; latency = base + "
        "hops * hop, transfer = traffic * bytes / rate",
    .source = "fitted to nccl-tests of A100, H100, B200, L40S and two clusters (docs/internals/models.md)",
    .ignores = "protocols, the number of channels, CollNet, PAT, user buffers, settings in NCCL_* variables",
    .supports = nccl_supports,
    .rounds = nccl_rounds,
    .sends = nccl_sends,
    .receives = nccl_receives,
    .traffic = nccl_traffic_of,
    .is_cyclic = [](const CollectiveShape& shape) { return shape.op != CollectiveOp::kSendRecv; },
    .closed_form = nccl_closed_form,
    .whole = nccl_time,
};

}  // namespace stepsim
