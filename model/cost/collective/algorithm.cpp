#include "model/cost/collective/algorithm.h"

namespace stepsim {
namespace {

const CollectiveModel* supporting(CollectiveAlgorithm algorithm, const CollectiveShape& shape) noexcept {
  for (const CollectiveModel* const model : collective_models()) {
    if (model->algorithm == algorithm) return model->supports(shape) ? model : nullptr;
  }
  return nullptr;
}

CollectiveAlgorithm usual(const CollectiveShape& shape) noexcept {
  switch (shape.op) {
    case CollectiveOp::kAllToAll:
    case CollectiveOp::kSendRecv: return CollectiveAlgorithm::kDirect;
    case CollectiveOp::kBroadcast:
    case CollectiveOp::kReduce:
      return shape.bytes <= kPipelineSlice ? CollectiveAlgorithm::kTree : CollectiveAlgorithm::kRing;
    default: return CollectiveAlgorithm::kRing;
  }
}

}  // namespace

const CollectiveModel* model_for(const CollectiveShape& shape, CollectiveAlgorithm algorithm) noexcept {
  if (shape.bytes <= Bytes{}) return nullptr;
  const CollectiveModel* const asked = supporting(algorithm, shape);
  return asked != nullptr ? asked : supporting(usual(shape), shape);
}

}  // namespace stepsim
