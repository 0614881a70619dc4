#include "model/cost/collective/algorithm.h"

namespace stepsim {
namespace {

// In a pairwise exchange, every member sends to the member k + 1 places after it in round k.

std::uint32_t exchanges(const CollectiveShape& shape) { return shape.members - 1; }

bool direct_supports(const CollectiveShape& shape) {
  switch (shape.op) {
    case CollectiveOp::kAllReduce:
    case CollectiveOp::kReduceScatter:
    case CollectiveOp::kAllGather:
    case CollectiveOp::kAllToAll: return true;
    case CollectiveOp::kSendRecv: return shape.members == 2 && shape.root < 2;
    default: return false;
  }
}

/// Returns the number of rounds. If part of a message is buffered, that part is sent in a second round, for which the
/// sender does not wait.
std::uint32_t direct_rounds(const CollectiveShape& shape) {
  if (shape.op == CollectiveOp::kSendRecv) return shape.buffered == Bytes{} ? 1 : 2;
  return (shape.op == CollectiveOp::kAllReduce ? 2 : 1) * exchanges(shape);
}

/// Returns the operation of a round: an all-reduce is a reduce-scatter, then an all-gather.
CollectiveOp half_of(const CollectiveShape& shape, std::uint32_t round) {
  if (shape.op != CollectiveOp::kAllReduce) return shape.op;
  return round < exchanges(shape) ? CollectiveOp::kReduceScatter : CollectiveOp::kAllGather;
}

void direct_sends(const CollectiveShape& shape, std::uint32_t member, std::uint32_t round, std::vector<Send>& sends) {
  if (shape.op == CollectiveOp::kSendRecv) {
    const Bytes first = shape.bytes - shape.buffered;
    const bool rest = round > 0;
    if (member == shape.root)
      sends.push_back({1 - member, rest ? shape.buffered : first, rest ? first : Bytes{}, rest});
    return;
  }
  const std::uint32_t distance = round % exchanges(shape) + 1;
  const std::uint32_t to = place(shape.members, member, distance);
  const CollectiveOp half = half_of(shape, round);
  const std::uint32_t which = half == CollectiveOp::kAllToAll    ? distance
                              : half == CollectiveOp::kAllGather ? member
                                                                 : to;
  const Bytes part = part_of(shape.bytes, shape.members);
  sends.push_back({to, part, parts_of(which, part)});
}

std::uint32_t direct_receives(const CollectiveShape& shape, std::uint32_t member, std::uint32_t /*round*/) {
  return shape.op == CollectiveOp::kSendRecv && member == shape.root ? 0 : 1;
}

MemberTraffic direct_traffic(const CollectiveShape& shape, std::uint32_t member) {
  const std::uint32_t rounds = direct_rounds(shape);
  if (shape.op != CollectiveOp::kSendRecv) {
    const Bytes bytes = parts_of(rounds, part_of(shape.bytes, shape.members));
    return {rounds, rounds, bytes, bytes};
  }
  return member == shape.root ? MemberTraffic{rounds, 0, shape.bytes, {}} : MemberTraffic{0, rounds, {}, shape.bytes};
}

Duration direct_closed_form(const CollectiveShape& shape, const MessageCost& cost) {
  if (shape.op == CollectiveOp::kSendRecv) {
    const Duration first = time_of(cost, shape.bytes - shape.buffered);
    return shape.buffered == Bytes{} ? first : first + time_of(cost, shape.buffered);
  }
  return direct_rounds(shape) * time_of(cost, part_of(shape.bytes, shape.members));
}

}  // namespace

extern const CollectiveModel direct_collective{
    .name = "direct",
    .summary = "each member sends each other member its part directly, pair by pair",
    .formula = "all-to-all: (n - 1) (alpha + bytes / (n beta)); send: alpha + bytes / beta",
    .source = "Thakur, Rabenseifner and Gropp 2005 (pairwise exchange)",
    .ignores = "the time to add; several exchanges of a member at a time",
    .supports = direct_supports,
    .rounds = direct_rounds,
    .sends = direct_sends,
    .receives = direct_receives,
    .traffic = direct_traffic,
    .is_cyclic = [](const CollectiveShape& shape) { return shape.op != CollectiveOp::kSendRecv; },
    .closed_form = direct_closed_form,
};

}  // namespace stepsim
