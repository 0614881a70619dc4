#include <bit>

#include "model/cost/collective/algorithm.h"

namespace stepsim {
namespace {

// The algorithm runs on a "core", whose size is the largest power of two that fits into the group. If there are `rest`
// more members, the first 2 * rest members form pairs: the even one gives its data to the odd one before the core
// begins, and receives the result from it at the end.

std::uint32_t core_size(const CollectiveShape& shape) { return std::bit_floor(shape.members); }
std::uint32_t rest(const CollectiveShape& shape) { return shape.members - core_size(shape); }
std::uint32_t steps(const CollectiveShape& shape) {
  return static_cast<std::uint32_t>(std::countr_zero(core_size(shape)));
}

bool is_paired(const CollectiveShape& shape, std::uint32_t member) { return member < 2 * rest(shape); }
bool is_in_core(const CollectiveShape& shape, std::uint32_t member) {
  return !is_paired(shape, member) || member % 2 == 1;
}
std::uint32_t core_place(const CollectiveShape& shape, std::uint32_t member) {
  return is_paired(shape, member) ? member / 2 : member - rest(shape);
}
std::uint32_t member_at(const CollectiveShape& shape, std::uint32_t core) {
  return core < rest(shape) ? 2 * core + 1 : core + rest(shape);
}

enum class Phase : std::uint8_t { kFold, kHalve, kDouble, kUnfold };

struct Step {
  Phase phase = Phase::kFold;
  std::uint32_t distance = 1;  ///< difference between the core places of two members that exchange data
};

Step step_of(const CollectiveShape& shape, std::uint32_t round) {
  if (rest(shape) != 0) {
    if (round == 0) return {Phase::kFold};
    --round;
  }
  if (shape.op != CollectiveOp::kAllGather) {
    if (round < steps(shape)) return {Phase::kHalve, core_size(shape) >> (round + 1)};
    round -= steps(shape);
  }
  if (round < steps(shape)) return {Phase::kDouble, 1U << round};
  return {Phase::kUnfold};
}

bool halving_doubling_supports(const CollectiveShape& shape) {
  if (shape.op == CollectiveOp::kAllReduce) return true;
  const bool half = shape.op == CollectiveOp::kReduceScatter || shape.op == CollectiveOp::kAllGather;
  return half && rest(shape) == 0;
}

std::uint32_t halving_doubling_rounds(const CollectiveShape& shape) {
  if (shape.op != CollectiveOp::kAllReduce) return steps(shape);
  return 2 * steps(shape) + (rest(shape) == 0 ? 0 : 2);
}

void halving_doubling_sends(const CollectiveShape& shape, std::uint32_t member, std::uint32_t round,
                            std::vector<Send>& sends) {
  const Step step = step_of(shape, round);
  if (step.phase == Phase::kFold || step.phase == Phase::kUnfold) {
    const bool gives = is_in_core(shape, member) == (step.phase == Phase::kUnfold);
    if (is_paired(shape, member) && gives) sends.push_back({member ^ 1U, shape.bytes, {}});
    return;
  }
  if (!is_in_core(shape, member)) return;
  // Halving sends the `distance` parts that the other member will keep; doubling sends the `distance` parts that this
  // member has.
  const std::uint32_t here = core_place(shape, member);
  const std::uint32_t there = here ^ step.distance;
  const std::uint32_t block = (step.phase == Phase::kHalve ? there : here) & ~(step.distance - 1);
  const Bytes part = part_of(shape.bytes, core_size(shape));
  sends.push_back({member_at(shape, there), parts_of(step.distance, part), parts_of(block, part)});
}

std::uint32_t halving_doubling_receives(const CollectiveShape& shape, std::uint32_t member, std::uint32_t round) {
  const Phase phase = step_of(shape, round).phase;
  const bool in_core = is_in_core(shape, member);
  if (phase == Phase::kHalve || phase == Phase::kDouble) return in_core ? 1 : 0;
  return is_paired(shape, member) && in_core == (phase == Phase::kFold) ? 1 : 0;
}

/// Returns the duration. Each round of the core halves or doubles the blocks. A member of the core that has a partner
/// outside it takes part in all rounds, also in those that fold and unfold the payload of the partner.
Duration halving_doubling_closed_form(const CollectiveShape& shape, const MessageCost& cost) {
  Duration halving{};
  for (std::uint32_t parts = 1; parts < core_size(shape); parts *= 2)
    halving += time_of(cost, parts_of(parts, part_of(shape.bytes, core_size(shape))));
  if (shape.op != CollectiveOp::kAllReduce) return halving;
  return 2 * halving + (rest(shape) == 0 ? Duration{} : 2 * time_of(cost, shape.bytes));
}

}  // namespace

extern const CollectiveModel halving_doubling_collective{
    .name = "halving_doubling",
    .summary = "recursive halving, then doubling: bytes of a ring with log2(n) messages",
    .formula =
        "all-reduce of n = 2^k: 2 log2(n) alpha + 2 (n - 1) / n bytes / beta; else 2 (alpha + bytes / beta) more",
    .source = "Thakur, Rabenseifner and Gropp 2005",
    .ignores = "the time to add; that distant members may share links",
    .supports = halving_doubling_supports,
    .rounds = halving_doubling_rounds,
    .sends = halving_doubling_sends,
    .receives = halving_doubling_receives,
    .closed_form = halving_doubling_closed_form,
};

}  // namespace stepsim
