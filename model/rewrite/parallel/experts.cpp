#include "model/rewrite/parallel/experts.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>

#include "model/job/collective.h"
#include "model/rewrite/buckets.h"
#include "model/rewrite/parallel/added_collectives.h"
#include "model/rewrite/parallel/model_calls.h"
#include "model/rewrite/parallel/tensor_division.h"

namespace stepsim {
namespace {

using Operator = OperatorTable::Operator;
using Sizes = std::vector<std::int64_t>;

/// Returns the sizes of the parameter of three dimensions whose gradient an operator accumulates; empty if it is none.
Sizes accumulated_by(const Operator& op) {
  const bool is_sum = op.name == "aten::add_" && op.inputs.size() > 1 && op.inputs[0].sizes == op.inputs[1].sizes;
  const bool accumulates = is_sum || op.name.ends_with("AccumulateGrad");
  return accumulates && !op.inputs.empty() && op.inputs[0].sizes.size() == 3 ? op.inputs[0].sizes : Sizes{};
}

/// Returns which dimension of a product is neither of these two; null if they are not two of its three.
double ProductShape::*other_dimension(const ProductShape& shape, double one, double two) {
  // Tokens are the rows of a layer and of the gradient of its input, and the inner dimension of a weight's gradient.
  static constexpr std::array kDimensions{&ProductShape::rows, &ProductShape::inner, &ProductShape::columns};
  for (double ProductShape::*const tokens : kDimensions) {
    std::vector<double> rest;
    for (double ProductShape::*const dimension : kDimensions) {
      if (dimension != tokens) rest.push_back(shape.*dimension);
    }
    if ((rest[0] == one && rest[1] == two) || (rest[0] == two && rest[1] == one)) return tokens;
  }
  return nullptr;
}

/// True if `all` has three sizes, of which the last two may be in either order.
bool has_either_way(const std::set<Sizes>& all, const Sizes& sizes) {
  return sizes.size() == 3 && (all.contains(sizes) || all.contains({sizes[0], sizes[2], sizes[1]}));
}

}  // namespace

Experts::Experts(const OperatorTable& table) : kinds_(table.operators.size()) {
  // Sums of activations have three dimensions, too, but no product has one as its second factor.
  std::set<Sizes> factors;
  for (const Operator& op : table.operators) {
    if (is_batched_product(op) && op.inputs.size() > 1 && op.inputs[1].sizes.size() == 3)
      factors.insert(op.inputs[1].sizes);
  }
  for (std::size_t i = 0; i < kinds_.size(); ++i) {
    const Operator& op = table.operators[i];
    const Sizes sizes = accumulated_by(op);
    if (!has_either_way(factors, sizes)) continue;
    weights_.insert(sizes);
    gradients_.insert(Bytes{static_cast<std::int64_t>(op.inputs[0].bytes())});
    kinds_[i].on_parameter = true;
  }
  for (std::size_t i = 0; i < kinds_.size(); ++i) {
    const Operator& op = table.operators[i];
    if (!is_batched_product(op)) continue;
    for (const Sizes& weight : weights_) {
      if (op.work.shape.count != static_cast<double>(weight[0])) continue;
      kinds_[i].tokens = other_dimension(op.work.shape, static_cast<double>(weight[1]), static_cast<double>(weight[2]));
      if (kinds_[i].tokens == nullptr) continue;
      count_ = static_cast<std::uint32_t>(weight[0]);
      break;
    }
  }
}

bool Experts::is_weight(const TensorShape& tensor) const { return has_either_way(weights_, tensor.sizes); }

double Experts::share_of(const std::vector<Gradient>& gradients) const {
  double all = 0;
  double own = 0;
  for (const Gradient& gradient : gradients) {
    const auto bytes = static_cast<double>(gradient.bytes.count());
    all += bytes;
    if (is_gradient(gradient.bytes)) own += bytes;
  }
  return all > 0 ? own / all : 0;
}

DeviceWork Experts::part_of_rank(const DeviceWork& piece, std::uint32_t ranks, double of_optimizer) const {
  DeviceWork part = piece;
  const Kind kind = piece.which ? kinds_[*piece.which] : Kind{};
  if (piece.in_optimizer || kind.on_parameter) {
    const double share = piece.in_optimizer ? of_optimizer : 1.0 / ranks;
    part.amount *= share;
    if (part.work) {
      part.work->flops *= share;
      part.work->bytes *= share;
    }
  } else if (kind.tokens != nullptr && part.work) {
    const double before = elements_of(part.work->shape);
    part.work->shape.count /= ranks;
    part.work->shape.*kind.tokens *= ranks;
    if (before > 0) part.work->bytes *= elements_of(part.work->shape) / before;
  }
  return part;
}

Capture with_expert_parallel(const Capture& capture, const Parallelism& parallelism) {
  const Experts experts(capture.operators);
  const std::vector<ModelCall> calls = model_calls(capture);
  const DeviceLaunches launches = device_launches(capture);
  const std::map<TaskId, TaskId> call_of = calls_by_work(launches);
  AddedCollectives added(capture, launches, "expert parallel", parallelism.expert, parallelism.distance_of_replicas());
  const auto op = [&](std::size_t call) -> const Operator& { return capture.operators.operators[calls[call].which]; };
  for (std::size_t first = 0; first < calls.size(); ++first) {
    if (!experts.is_product(calls[first].which)) continue;
    // The experts' part of a layer, in one of the passes, ends before the next product of another kind.
    std::size_t last = first;
    for (std::size_t i = first + 1; i < calls.size() && calls[i].pass == calls[first].pass; ++i) {
      if (experts.is_product(calls[i].which)) {
        last = i;
      } else if (op(i).work.flops > 0) {
        break;
      }
    }
    // In both passes, the first product reads the tokens in the model's hidden dimension.
    const CollectiveSpec what{CollectiveOp::kAllToAll,
                              Bytes{static_cast<std::int64_t>(op(first).inputs.front().bytes())}, true};
    const auto call = call_of.find(calls[first].first);
    if (call != call_of.end()) added.let_wait(calls[first].first, added.add_before(call->second, what));
    const auto end = call_of.find(calls[last].last);
    if (end != call_of.end()) {
      const TaskId back = added.add_after(end->second, what);
      if (last + 1 < calls.size()) added.let_wait(calls[last + 1].first, back);
    }
    first = last;
  }
  return std::move(added).finish();
}

}  // namespace stepsim
