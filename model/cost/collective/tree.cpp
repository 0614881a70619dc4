#include <bit>

#include "model/cost/collective/algorithm.h"

namespace stepsim {
namespace {

// A binomial tree: in round k of a broadcast the first 2^k members send to the next 2^k. No member sends or receives
// more than one message at a time, unlike the inner members of a binary tree.

std::uint32_t levels(const CollectiveShape& shape) {
  return static_cast<std::uint32_t>(32 - std::countl_zero(shape.members - 1));
}

std::uint32_t place_in_tree(const CollectiveShape& shape, std::uint32_t member) {
  const std::uint32_t root = shape.op == CollectiveOp::kAllReduce ? 0 : shape.root;
  return place(shape.members, member, -std::int64_t{root});
}

/// One round of messages between members whose places are `stride` apart: towards the root if `up`, otherwise away from
/// it.
struct Level {
  bool up = false;
  std::uint32_t stride = 1;
};

Level level_of(const CollectiveShape& shape, std::uint32_t round) {
  if (shape.op == CollectiveOp::kBroadcast) return {false, 1U << round};
  if (round < levels(shape)) return {true, 1U << round};
  return {false, 1U << (round - levels(shape))};
}

bool tree_supports(const CollectiveShape& shape) {
  return shape.op == CollectiveOp::kAllReduce || shape.op == CollectiveOp::kBroadcast ||
         shape.op == CollectiveOp::kReduce;
}

std::uint32_t tree_rounds(const CollectiveShape& shape) {
  return (shape.op == CollectiveOp::kAllReduce ? 2 : 1) * levels(shape);
}

bool is_child(const Level& level, std::uint32_t place) {
  return level.up ? place % (2 * level.stride) == level.stride : place >= level.stride && place < 2 * level.stride;
}

bool is_parent(const CollectiveShape& shape, const Level& level, std::uint32_t place) {
  return is_child(level, place + level.stride) && place + level.stride < shape.members;
}

void tree_sends(const CollectiveShape& shape, std::uint32_t member, std::uint32_t round, std::vector<Send>& sends) {
  const Level level = level_of(shape, round);
  const std::uint32_t here = place_in_tree(shape, member);
  if (!(level.up ? is_child(level, here) : is_parent(shape, level, here))) return;
  const std::int64_t stride = level.stride;
  sends.push_back({place(shape.members, member, level.up ? -stride : stride), shape.bytes, {}});
}

std::uint32_t tree_receives(const CollectiveShape& shape, std::uint32_t member, std::uint32_t round) {
  const Level level = level_of(shape, round);
  const std::uint32_t here = place_in_tree(shape, member);
  return (level.up ? is_parent(shape, level, here) : is_child(level, here)) ? 1 : 0;
}

/// Returns the duration by a formula. On the way down, the root sends in every round. On the way up, a member whose
/// place has k bits set is k messages away from the root; the longest such path among n members has floor(log2 n)
/// messages.
Duration tree_closed_form(const CollectiveShape& shape, const MessageCost& cost) {
  const auto up = std::int64_t{31 - std::countl_zero(shape.members)};
  const std::int64_t down = levels(shape);
  std::int64_t messages = 0;
  if (shape.op != CollectiveOp::kBroadcast) messages += up;
  if (shape.op != CollectiveOp::kReduce) messages += down;
  return messages * time_of(cost, shape.bytes);
}

}  // namespace

extern const CollectiveModel tree_collective{
    .name = "tree",
    .summary = "up and down a binomial tree with the whole payload; fewest messages, good for short ones",
    .formula = "all-reduce: (floor(log2 n) + ceil(log2 n)) (alpha + bytes / beta)",
    .source = "Thakur, Rabenseifner and Gropp 2005",
    .ignores = "the time to add; pipelining and the second tree of NCCL's trees, which long payloads need",
    .supports = tree_supports,
    .rounds = tree_rounds,
    .sends = tree_sends,
    .receives = tree_receives,
    .closed_form = tree_closed_form,
};

}  // namespace stepsim
