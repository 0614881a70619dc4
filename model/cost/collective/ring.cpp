#include <algorithm>

#include "model/cost/collective/algorithm.h"

namespace stepsim {
namespace {

/// True for broadcast and reduce, which run along a chain from its first to its last member, slice by slice.
bool is_chain(const CollectiveShape& shape) {
  return shape.op == CollectiveOp::kBroadcast || shape.op == CollectiveOp::kReduce;
}

/// Returns the number of slices: one per kPipelineSlice bytes, but at most 1024, or at most 16 per member if that is
/// more. At this maximum, each sender is still busy in at least 15/16 of the rounds.
std::uint32_t slices(const CollectiveShape& shape) {
  const std::int64_t most = std::max<std::int64_t>(1024, 16 * std::int64_t{shape.members});
  const std::int64_t wanted =
      shape.bytes.count() / kPipelineSlice.count() + (shape.bytes.count() % kPipelineSlice.count() == 0 ? 0 : 1);
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(wanted, 1, most));
}

/// Returns the place of a member in the chain. The chain of a broadcast begins at the root; that of a reduce ends
/// there.
std::uint32_t place_in_chain(const CollectiveShape& shape, std::uint32_t member) {
  const std::int64_t first = shape.op == CollectiveOp::kBroadcast ? shape.root : std::int64_t{shape.root} + 1;
  return place(shape.members, member, -first);
}

bool ring_supports(const CollectiveShape& shape) {
  return is_chain(shape) || shape.op == CollectiveOp::kAllReduce || shape.op == CollectiveOp::kReduceScatter ||
         shape.op == CollectiveOp::kAllGather;
}

std::uint32_t ring_rounds(const CollectiveShape& shape) {
  if (shape.members < 2) return 0;
  if (is_chain(shape)) return shape.members - 2 + slices(shape);
  return (shape.op == CollectiveOp::kAllReduce ? 2 : 1) * (shape.members - 1);
}

/// True if the member at place `sender` forwards a slice in `round`.
bool passes_slice(const CollectiveShape& shape, std::uint32_t sender, std::uint32_t round) {
  return sender + 1 < shape.members && round >= sender && round - sender < slices(shape);
}

/// Returns which part a member sends in round 0, relative to its own part; each later round sends the part before. A
/// reduce-scatter begins with the part before the member's own (-1), so that its own part arrives last.
std::int64_t first_part(const CollectiveShape& shape) { return shape.op == CollectiveOp::kReduceScatter ? -1 : 0; }

/// Returns the size of a message.
Bytes ring_part(const CollectiveShape& shape) {
  return part_of(shape.bytes, is_chain(shape) ? slices(shape) : shape.members);
}

void ring_sends(const CollectiveShape& shape, std::uint32_t member, std::uint32_t round, std::vector<Send>& sends) {
  std::uint32_t which = 0;
  if (is_chain(shape)) {
    const std::uint32_t sender = place_in_chain(shape, member);
    if (!passes_slice(shape, sender, round)) return;
    which = round - sender;
  } else {
    which = place(shape.members, member, first_part(shape) - std::int64_t{round});
  }
  const Bytes part = ring_part(shape);
  sends.push_back({place(shape.members, member, 1), part, parts_of(which, part)});
}

std::uint32_t ring_receives(const CollectiveShape& shape, std::uint32_t member, std::uint32_t round) {
  if (!is_chain(shape)) return 1;
  const std::uint32_t receiver = place_in_chain(shape, member);
  return receiver > 0 && passes_slice(shape, receiver - 1, round) ? 1 : 0;
}

MemberTraffic ring_traffic_of(const CollectiveShape& shape, std::uint32_t member) {
  std::uint32_t sent = ring_rounds(shape);
  std::uint32_t received = sent;
  if (is_chain(shape)) {
    const std::uint32_t here = place_in_chain(shape, member);
    sent = here + 1 < shape.members ? slices(shape) : 0;
    received = here > 0 ? slices(shape) : 0;
  }
  return {sent, received, parts_of(sent, ring_part(shape)), parts_of(received, ring_part(shape))};
}

/// Returns the duration. All messages have the same size, and in every round some member sends one that all others of
/// the chain or ring wait for.
Duration ring_closed_form(const CollectiveShape& shape, const MessageCost& cost) {
  return ring_rounds(shape) * time_of(cost, ring_part(shape));
}

/// Returns when each member is done: those of a ring together. In a chain, the sender at place p has passed on the last
/// slice in round p + slices - 1; the last member only receives.
std::vector<Duration> ends(const CollectiveShape& shape, const MessageTime& time) {
  std::vector<Duration> ends(shape.members);
  if (shape.members < 2) return ends;
  const Duration round = time(ring_part(shape));
  for (std::uint32_t member = 0; member < shape.members; ++member) {
    const std::uint32_t sender = std::min(place_in_chain(shape, member), shape.members - 2);
    ends[member] = (is_chain(shape) ? sender + slices(shape) : ring_rounds(shape)) * round;
  }
  return ends;
}

}  // namespace

extern const CollectiveModel ring_collective{
    .name = "ring",
    .summary = "each member passes parts to the next; fewest bytes per link",
    .formula =
        "all-reduce: 2 (n - 1) (alpha + bytes / (n beta)); broadcast of s slices: (n - 2 + s) (alpha + bytes / (s "
        "beta))",
    .source = "Patarasuk and Yuan 2009; slices: NCCL's 512 KiB steps",
    .ignores = "the time to add; several rings side by side",
    .supports = ring_supports,
    .rounds = ring_rounds,
    .sends = ring_sends,
    .receives = ring_receives,
    .traffic = ring_traffic_of,
    .is_cyclic = [](const CollectiveShape& shape) { return !is_chain(shape); },
    .closed_form = ring_closed_form,
    .ends = ends,
};

}  // namespace stepsim
