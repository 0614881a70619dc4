#include "model/rewrite/parallel/kept_tensors.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace stepsim {
namespace {

struct KeptBy {
  std::string_view name;
  Keeps keeps;
};
constexpr auto kKeptBy = std::to_array<KeptBy>({
    {"aten::add", Keeps::kNothing},
    {"aten::add_", Keeps::kNothing},
    {"aten::sub", Keeps::kNothing},
    {"aten::sub_", Keeps::kNothing},
    {"aten::_to_copy", Keeps::kNothing},
    {"aten::copy_", Keeps::kNothing},
    {"aten::clone", Keeps::kNothing},
    {"aten::cat", Keeps::kNothing},
    {"aten::native_layer_norm", Keeps::kInput},
    {"aten::layer_norm", Keeps::kInput},
    {"aten::_fused_rms_norm", Keeps::kInput},
    {"aten::rms_norm", Keeps::kInput},
    {"aten::native_group_norm", Keeps::kInput},
    {"aten::native_batch_norm", Keeps::kInput},
    {"aten::cudnn_batch_norm", Keeps::kInput},
    {"aten::miopen_batch_norm", Keeps::kInput},
    {"aten::batch_norm", Keeps::kInput},
    {"aten::gelu", Keeps::kInput},
    {"aten::silu", Keeps::kInput},
    {"aten::elu", Keeps::kInput},
    {"aten::leaky_relu", Keeps::kInput},
    {"aten::hardswish", Keeps::kInput},
    {"aten::mish", Keeps::kInput},
    {"aten::softplus", Keeps::kInput},
    {"aten::pow", Keeps::kInput},
    {"aten::sin", Keeps::kInput},
    {"aten::cos", Keeps::kInput},
    {"aten::log", Keeps::kInput},
    {"aten::max_pool2d_with_indices", Keeps::kInput},
    {"aten::mul", Keeps::kInputs},
    {"aten::div", Keeps::kInputs},
    {"aten::relu", Keeps::kOutput},
    {"aten::relu_", Keeps::kOutput},
    {"aten::clamp_min_", Keeps::kOutput},
    {"aten::clamp_min", Keeps::kOutput},
    {"aten::tanh", Keeps::kOutput},
    {"aten::sigmoid", Keeps::kOutput},
    {"aten::exp", Keeps::kOutput},
    {"aten::sqrt", Keeps::kOutput},
    {"aten::rsqrt", Keeps::kOutput},
    {"aten::softmax", Keeps::kOutput},
    {"aten::_softmax", Keeps::kOutput},
    {"aten::log_softmax", Keeps::kOutput},
    {"aten::_log_softmax", Keeps::kOutput},
    {"aten::native_dropout", Keeps::kMask},
    {"aten::_fused_dropout", Keeps::kMask},
});

}  // namespace

bool is_product(const OperatorTable::Operator& op) noexcept {
  return op.work.flops > 0 && op.work.kind != KernelClass::kAttention;
}

Keeps kept_by(const OperatorTable::Operator& op) noexcept {
  if (op.work.kind == KernelClass::kAttention || is_product(op)) return Keeps::kInputs;
  const auto* const known =
      std::find_if(kKeptBy.begin(), kKeptBy.end(), [&op](const KeptBy& one) { return one.name == op.name; });
  return known == kKeptBy.end() ? Keeps::kUnknown : known->keeps;
}

}  // namespace stepsim
