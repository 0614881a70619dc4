#include "model/cost/collective/algorithm.h"

namespace stepsim {

extern const CollectiveModel direct_collective;
extern const CollectiveModel ring_collective;
extern const CollectiveModel tree_collective;

namespace {

/// What NCCL and gloo take.
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

}  // namespace stepsim
