#include "model/cost/collective/algorithm.h"

#include <algorithm>

namespace stepsim {
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

CollectiveShape shape_of(const Collective& collective, std::uint32_t members, std::uint32_t members_per_host) noexcept {
  return {collective.op,   members,          collective.bytes,
          collective.root, members_per_host, std::min(collective.buffered, collective.bytes)};
}

const CollectiveModel* model_for(const CollectiveShape& shape, const CollectiveModel* asked) noexcept {
  if (shape.bytes <= Bytes{}) return nullptr;
  if (asked != nullptr && asked->supports(shape)) return asked;
  const CollectiveModel& model = usual(shape);
  return model.supports(shape) ? &model : nullptr;
}

bool is_timed_as_whole(const Collective& collective) noexcept {
  if (collective.algorithm == nullptr || collective.algorithm->whole == nullptr) return false;
  return collective.algorithm->supports({.op = collective.op, .members = 2, .bytes = collective.bytes});
}

Bytes part_of(Bytes payload, std::uint32_t parts) noexcept {
  return Bytes{payload.count() / parts + (payload.count() % parts == 0 ? 0 : 1)};
}

std::uint32_t place(std::uint32_t members, std::uint32_t member, std::int64_t steps) noexcept {
  const std::int64_t sum = (static_cast<std::int64_t>(member) + steps) % static_cast<std::int64_t>(members);
  return static_cast<std::uint32_t>(sum < 0 ? sum + members : sum);
}

Duration time_of(const MessageCost& cost, Bytes bytes) noexcept { return cost.alpha + transfer_time(bytes, cost.rate); }

}  // namespace stepsim
