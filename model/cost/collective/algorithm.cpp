#include "model/cost/collective/algorithm.h"

#include <algorithm>
#include <vector>

namespace stepsim {
namespace {

/// Returns floor(index * payload / parts) without computing the product, which might overflow.
std::int64_t border(Bytes payload, std::uint32_t parts, std::uint32_t index) noexcept {
  const std::int64_t whole = payload.count() / parts;
  const auto rest = static_cast<std::uint64_t>(payload.count() % parts);
  return whole * index + static_cast<std::int64_t>(rest * index / parts);
}

}  // namespace

extern const CollectiveModel direct_collective;
extern const CollectiveModel ring_collective;
extern const CollectiveModel tree_collective;

namespace {

/// Returns the algorithm that NCCL and gloo use.
const CollectiveModel& usual(const CollectiveShape& shape) noexcept {
  switch (shape.op) {
    case CollectiveOp::kAllToAll:
    case CollectiveOp::kSendRecv: return direct_collective;
    case CollectiveOp::kBroadcast:
    case CollectiveOp::kReduce: return shape.bytes <= kPipelineSlice ? tree_collective : ring_collective;
    default: return ring_collective;
  }
}

}  // namespace

const CollectiveModel* find_collective_model(std::string_view name) noexcept {
  for (const CollectiveModel* const model : collective_models()) {
    if (model->name == name) return model;
  }
  return nullptr;
}

const CollectiveModel* model_for(const CollectiveShape& shape, const CollectiveModel* asked) noexcept {
  if (shape.bytes <= Bytes{}) return nullptr;
  if (asked != nullptr && asked->supports(shape)) return asked;
  const CollectiveModel& model = usual(shape);
  return model.supports(shape) ? &model : nullptr;
}

Part part_of(Bytes payload, std::uint32_t parts, std::uint32_t first, std::uint32_t count) noexcept {
  const std::int64_t begin = border(payload, parts, first);
  return {Bytes{begin}, Bytes{border(payload, parts, first + count) - begin}};
}

Bytes largest_part(Bytes payload, std::uint32_t parts) noexcept {
  return Bytes{payload.count() / parts + (payload.count() % parts == 0 ? 0 : 1)};
}

std::uint32_t place(std::uint32_t members, std::uint32_t member, std::int64_t steps) noexcept {
  const std::int64_t sum = (static_cast<std::int64_t>(member) + steps) % static_cast<std::int64_t>(members);
  return static_cast<std::uint32_t>(sum < 0 ? sum + members : sum);
}

Duration time_of(const MessageCost& cost, Bytes bytes) noexcept { return cost.alpha + transfer_time(bytes, cost.rate); }

Duration longest_chain(const CollectiveShape& shape, const MessageCost& cost, std::uint32_t rounds,
                       decltype(CollectiveModel::sends) sends_of) {
  std::vector<Duration> begun(shape.members);
  std::vector<Send> sends;
  for (std::uint32_t round = 0; round < rounds; ++round) {
    std::vector<Duration> next = begun;
    for (std::uint32_t member = 0; member < shape.members; ++member) {
      sends.clear();
      sends_of(shape, member, round, sends);
      for (const Send& send : sends) {
        const Duration arrived = begun[member] + time_of(cost, send.bytes);
        if (!send.left_behind) next[member] = std::max(next[member], arrived);
        next[send.to] = std::max(next[send.to], arrived);
      }
    }
    begun = std::move(next);
  }
  return *std::max_element(begun.begin(), begun.end());
}

}  // namespace stepsim
