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

void ring_sends(const CollectiveShape& shape, std::uint32_t member, std::uint32_t round, std::vector<Send>& sends) {
  Part part;
  if (is_chain(shape)) {
    const std::uint32_t sender = place_in_chain(shape, member);
    if (!passes_slice(shape, sender, round)) return;
    part = part_of(shape.bytes, slices(shape), round - sender);
  } else {
    const std::int64_t steps = first_part(shape) - std::int64_t{round};
    part = part_of(shape.bytes, shape.members, place(shape.members, member, steps));
  }
  sends.push_back({place(shape.members, member, 1), part.bytes, part.offset});
}

std::uint32_t ring_receives(const CollectiveShape& shape, std::uint32_t member, std::uint32_t round) {
  if (!is_chain(shape)) return 1;
  const std::uint32_t receiver = place_in_chain(shape, member);
  return receiver > 0 && passes_slice(shape, receiver - 1, round) ? 1 : 0;
}

/// Returns the duration by a formula. In a ring, the largest part is under way in every round, and the chain of
/// messages that carries it waits for nothing else. In a broadcast or reduce, all slices leave the first member one
/// after the other, and one of the largest slices does not wait at any other member.
Duration ring_closed_form(const CollectiveShape& shape, const MessageCost& cost) {
  if (shape.members < 2) return {};
  if (!is_chain(shape)) return ring_rounds(shape) * time_of(cost, largest_part(shape.bytes, shape.members));
  const std::uint32_t count = slices(shape);
  const Duration slowest = time_of(cost, largest_part(shape.bytes, count));
  const std::int64_t large = shape.bytes.count() % count;
  return (shape.members - 2 + large) * slowest + (count - large) * time_of(cost, Bytes{shape.bytes.count() / count});
}

/// Returns when each member of a chain is done. This is a flow shop with equal machines: every sender forwards the same
/// slices in the same order. The sender at place p is done after the time of all slices plus p times the time of the
/// largest slice. The last member only receives.
std::vector<Duration> chain_ends(const CollectiveShape& shape, const MessageTime& time) {
  const std::uint32_t count = slices(shape);
  const std::int64_t large = shape.bytes.count() % count;
  const Duration smallest = time(Bytes{shape.bytes.count() / count});
  const Duration largest = large == 0 ? smallest : time(largest_part(shape.bytes, count));
  std::vector<Duration> ends(shape.members);
  for (std::uint32_t member = 0; member < shape.members; ++member) {
    const std::uint32_t sender = std::min(place_in_chain(shape, member), shape.members - 2);
    ends[member] = large * largest + (count - large) * smallest + sender * largest;
  }
  return ends;
}

/// Returns, for each part, the distance to the next part of the larger size: 0 if the part itself has that size, or the
/// number of parts if all parts are equal.
std::vector<std::uint32_t> steps_to_larger(const CollectiveShape& shape) {
  const Bytes smaller{shape.bytes.count() / shape.members};
  std::vector<std::uint32_t> steps(shape.members, shape.members);
  for (std::uint32_t i = 2 * shape.members; i-- > 0;) {
    const std::uint32_t part = i % shape.members;
    if (part_of(shape.bytes, shape.members, part).bytes > smaller) {
      steps[part] = 0;
    } else {
      steps[part] = std::min(shape.members, steps[(part + 1) % shape.members] + 1);
    }
  }
  return steps;
}

/// Returns when each member is done, which is the length of the longest chain of messages that ends at the member. Seen
/// backwards, each message of a chain waited for a message with the same part or with the next higher part. The longest
/// chain therefore goes up to the nearest part of the larger size and stays with this part.
std::vector<Duration> ends(const CollectiveShape& shape, const MessageTime& time) {
  if (shape.members < 2) return std::vector<Duration>(shape.members);
  if (is_chain(shape)) return chain_ends(shape, time);
  const Duration larger = time(largest_part(shape.bytes, shape.members));
  const Duration smaller = time(Bytes{shape.bytes.count() / shape.members});
  const std::vector<std::uint32_t> to_larger = steps_to_larger(shape);
  std::vector<Duration> ends(shape.members);
  for (std::uint32_t member = 0; member < shape.members; ++member) {
    // The last message of a member is either the part that it sends last or the part that it receives last. The part
    // received last has a number one lower than the part sent last.
    const std::int64_t steps = first_part(shape) - std::int64_t{ring_rounds(shape)} + 1;
    const std::uint32_t own = to_larger[place(shape.members, member, steps)];
    const std::uint32_t received = to_larger[place(shape.members, member, steps - 1)];
    const std::uint32_t small = std::min({own, received, ring_rounds(shape)});
    ends[member] = (ring_rounds(shape) - small) * larger + small * smaller;
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
    .closed_form = ring_closed_form,
    .ends = ends,
};

}  // namespace stepsim
