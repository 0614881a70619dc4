#include "model/job/operator_work.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace stepsim {
namespace {

using Sizes = std::vector<std::int64_t>;

double elements(const Sizes& sizes) {
  double product = 1;
  for (const std::int64_t size : sizes) product *= static_cast<double>(size);
  return product;
}

bool is_matrix(const TensorShape& tensor) { return tensor.sizes.size() >= 2; }

double size_at(const TensorShape& tensor, std::size_t from_end) {
  return static_cast<double>(tensor.sizes[tensor.sizes.size() - from_end]);
}

/// Returns the work of the product of inputs `first` and `first` + 1: matrices m x k and k x n, multiplied for each
/// element of the batch.
Work product_of(const OperatorCall& call, std::size_t first, bool transposed) {
  if (call.inputs.size() < first + 2) return {};
  const TensorShape& a = call.inputs[first];
  const TensorShape& b = call.inputs[first + 1];
  if (!is_matrix(a) || b.sizes.empty()) return {};
  const double columns = !is_matrix(b) ? 1 : size_at(b, transposed ? 2 : 1);
  const double inner = size_at(a, 1);
  if (inner <= 0) return {};
  const double results = elements(a.sizes) / inner * columns;
  const double added = first == 0 ? 0 : call.inputs[0].bytes();
  const double moved = a.bytes() + b.bytes() + added + results * static_cast<double>(a.element_bytes);
  const double rows = size_at(a, 2);
  // A second factor without a batch dimension is multiplied by all rows of the first one.
  const bool batched = b.sizes.size() > 2;
  const double products = elements(a.sizes) / inner / std::max(1.0, rows);
  const ProductShape shape{batched ? products : 1, batched ? rows : rows * products, columns, inner};
  return {KernelClass::kGemm, 2 * results * inner, moved, a.precision, shape};
}

/// Batch, heads, queries and head size of a query tensor. PyTorch's public functions have heads before queries; the
/// libraries' own functions (flash, efficient) have them after queries.
struct Heads {
  double batch = 0;
  double heads = 0;
  double queries = 0;
  double keys = 0;
  double size = 0;
};

Heads heads_of(const OperatorCall& call, bool heads_first) {
  const std::size_t heads = heads_first ? 3 : 2;
  const std::size_t rows = heads_first ? 2 : 3;
  const TensorShape& query = call.inputs[0];
  return {static_cast<double>(query.sizes[0]), size_at(query, heads), size_at(query, rows),
          size_at(call.inputs[1], rows), size_at(query, 1)};
}

/// Returns the work of attention. It has two matrix products: one computes the scores, the other multiplies them by the
/// values. Its gradient has five: the scores again, and one per operand for each of the two products. Masks are not
/// recorded; a causal mask would halve the work.
Work attention_of(const OperatorCall& call, std::size_t first, bool backward) {
  OperatorCall tensors{call.name, {}, {}, {}, {}};
  for (std::size_t i = first; i < call.inputs.size() && i < first + 3; ++i) tensors.inputs.push_back(call.inputs[i]);
  const auto has_heads = [](const TensorShape& tensor) { return tensor.sizes.size() == 4; };
  if (tensors.inputs.size() < 3 || !std::all_of(tensors.inputs.begin(), tensors.inputs.end(), has_heads)) return {};
  const Heads h = heads_of(tensors, call.name.find("scaled_dot_product") != std::string_view::npos);
  double moved = tensors.inputs[0].bytes();
  for (const TensorShape& tensor : tensors.inputs) moved += tensor.bytes();
  const double product = 2 * h.batch * h.heads * h.queries * h.keys * h.size;
  return {KernelClass::kAttention, product * (backward ? 5 : 2), moved * (backward ? 2 : 1),
          tensors.inputs[0].precision};
}

/// Returns the value of a setting for a dimension. The last value applies to all dimensions beyond it. Returns
/// `otherwise` if there are no values.
double setting(const Sizes& values, std::size_t dimension, double otherwise) {
  return values.empty() ? otherwise : static_cast<double>(values[std::min(dimension, values.size() - 1)]);
}

/// Returns the elements of one channel of a convolution's result, or 0 if the strides were not recorded.
double convolved_elements(const OperatorCall& call, const Sizes& input, const Sizes& weight) {
  if (call.stride.empty()) return 0;
  double out = 1;
  for (std::size_t i = 0; i + 2 < input.size(); ++i) {
    const double span = setting(call.dilation, i, 1) * static_cast<double>(weight[i + 2] - 1) + 1;
    const double room = static_cast<double>(input[i + 2]) + 2 * setting(call.padding, i, 0) - span;
    out *= room < 0 ? 0 : std::floor(room / std::max(1.0, setting(call.stride, i, 1))) + 1;
  }
  return out;
}

/// Returns the elements of one channel of a convolution's result, given its gradient (n x k x ...).
double gradient_elements(const Sizes& gradient) {
  double out = 1;
  for (std::size_t i = 2; i < gradient.size(); ++i) out *= static_cast<double>(gradient[i]);
  return out;
}

/// Returns the work of a convolution. The input is n x c x ..., the weight k x c / groups x ...; the gradient is two
/// convolutions of the same size.
Work convolution_of(const OperatorCall& call, bool backward) {
  const std::size_t first = backward ? 1 : 0;
  if (call.inputs.size() < first + 2) return {};
  const TensorShape& input = call.inputs[first];
  const TensorShape& weight = call.inputs[first + 1];
  if (input.sizes.size() < 3 || weight.sizes.size() != input.sizes.size()) return {};
  const double channel =
      backward ? gradient_elements(call.inputs[0].sizes) : convolved_elements(call, input.sizes, weight.sizes);
  const auto channels = static_cast<double>(weight.sizes[0]);
  const double results = static_cast<double>(input.sizes[0]) * channels * channel;
  if (results <= 0) return {};
  const double each = elements(weight.sizes) / channels;
  const double moved = input.bytes() + weight.bytes() + results * static_cast<double>(input.element_bytes);
  const double times = backward ? 2 : 1;
  // Each of the `groups` products has its own share of the channels; each element of the result is a sum over `each`
  // elements of the input.
  const double groups =
      std::max(1.0, size_at(input, input.sizes.size() - 1) / std::max(1.0, static_cast<double>(weight.sizes[1])));
  const ProductShape shape{groups, results / channels, channels / groups, each};
  return {KernelClass::kConvolution, 2 * results * each * times, moved * times, input.precision, shape};
}

/// Returns the work of a lookup, whose inputs are a table, then indices, possibly after other arguments. Counts the
/// rows that are read and written.
Work lookup_of(const OperatorCall& call) {
  if (call.inputs.size() < 2 || call.inputs[0].sizes.empty()) return {};
  const TensorShape& table = call.inputs[0];
  double indices = 0;
  for (std::size_t i = 1; i < call.inputs.size(); ++i) indices = std::max(indices, elements(call.inputs[i].sizes));
  const double row = table.bytes() / static_cast<double>(std::max<std::int64_t>(1, table.sizes[0]));
  return {KernelClass::kGather, 0, 2 * indices * row + 8 * indices, table.precision};
}

/// Returns the number of elements of the shape that all inputs broadcast to, or 0 if they do not broadcast.
double broadcast_elements(const std::vector<TensorShape>& inputs) {
  Sizes out;
  for (const TensorShape& input : inputs) {
    if (input.sizes.size() > out.size()) out.insert(out.begin(), input.sizes.size() - out.size(), 1);
    for (std::size_t i = 1; i <= input.sizes.size(); ++i) {
      std::int64_t& size = out[out.size() - i];
      const std::int64_t other = input.sizes[input.sizes.size() - i];
      if (size != 1 && other != 1 && size != other) return 0;
      size = std::max(size, other);
    }
  }
  return elements(out);
}

Work pass_over(const OperatorCall& call) {
  double moved = 0;
  double largest = 0;
  const TensorShape* of = nullptr;
  for (const TensorShape& input : call.inputs) {
    if (input.sizes.empty()) continue;
    moved += input.bytes();
    if (of != nullptr && elements(input.sizes) <= largest) continue;
    largest = elements(input.sizes);
    of = &input;
  }
  if (of == nullptr) return {};
  const double results = std::max(largest, broadcast_elements(call.inputs));
  return {KernelClass::kElementwise, 0, moved + results * static_cast<double>(of->element_bytes), of->precision};
}

/// Returns the work of a dropout, which also writes a mask of bytes, or reads one that is not among its inputs.
Work dropout_of(const OperatorCall& call) {
  Work work = pass_over(call);
  const auto tensors = std::count_if(call.inputs.begin(), call.inputs.end(),
                                     [](const TensorShape& input) { return !input.sizes.empty(); });
  if (tensors == 1) work.bytes += elements(call.inputs.front().sizes);
  return work;
}

enum class Rule : std::uint8_t {
  kProduct,
  kLinear,
  kAddedProduct,
  kConvolution,
  kConvolutionBack,
  kAttention,
  kAttentionBack,
  kLookup,
  kDropout,
};

struct NamedWork {
  std::string_view name;
  Rule rule;
};

constexpr auto kNamedWork = std::to_array<NamedWork>({
    {"aten::mm", Rule::kProduct},
    {"aten::bmm", Rule::kProduct},
    {"aten::mv", Rule::kProduct},
    {"aten::matmul", Rule::kProduct},
    {"aten::_scaled_mm", Rule::kProduct},
    {"aten::linear", Rule::kLinear},
    {"aten::addmm", Rule::kAddedProduct},
    {"aten::_addmm_activation", Rule::kAddedProduct},
    {"aten::addmv", Rule::kAddedProduct},
    {"aten::baddbmm", Rule::kAddedProduct},
    {"aten::addbmm", Rule::kAddedProduct},
    {"aten::convolution", Rule::kConvolution},
    {"aten::_convolution", Rule::kConvolution},
    {"aten::conv1d", Rule::kConvolution},
    {"aten::conv2d", Rule::kConvolution},
    {"aten::conv3d", Rule::kConvolution},
    {"aten::cudnn_convolution", Rule::kConvolution},
    {"aten::miopen_convolution", Rule::kConvolution},
    {"aten::convolution_backward", Rule::kConvolutionBack},
    {"aten::_flash_attention_forward", Rule::kAttention},
    {"FlashAttnFunc", Rule::kAttention},
    {"aten::_efficient_attention_forward", Rule::kAttention},
    {"aten::scaled_dot_product_attention", Rule::kAttention},
    {"aten::_scaled_dot_product_flash_attention", Rule::kAttention},
    {"aten::_scaled_dot_product_efficient_attention", Rule::kAttention},
    {"aten::_scaled_dot_product_cudnn_attention", Rule::kAttention},
    {"aten::_flash_attention_backward", Rule::kAttentionBack},
    {"FlashAttnFuncBackward", Rule::kAttentionBack},
    {"aten::_efficient_attention_backward", Rule::kAttentionBack},
    {"aten::_scaled_dot_product_flash_attention_backward", Rule::kAttentionBack},
    {"aten::_scaled_dot_product_efficient_attention_backward", Rule::kAttentionBack},
    {"aten::embedding", Rule::kLookup},
    {"aten::index_select", Rule::kLookup},
    {"aten::index", Rule::kLookup},
    {"aten::native_dropout", Rule::kDropout},
    {"aten::native_dropout_backward", Rule::kDropout},
});

Work by_rule(Rule rule, const OperatorCall& call) {
  switch (rule) {
    case Rule::kProduct: return product_of(call, 0, false);
    case Rule::kLinear: return product_of(call, 0, true);
    case Rule::kAddedProduct: return product_of(call, 1, false);
    case Rule::kConvolution: return convolution_of(call, false);
    case Rule::kConvolutionBack: return convolution_of(call, true);
    case Rule::kAttention: return attention_of(call, 0, false);
    case Rule::kAttentionBack: return attention_of(call, 1, true);
    case Rule::kLookup: return lookup_of(call);
    case Rule::kDropout: return dropout_of(call);
  }
  return {};
}

}  // namespace

double TensorShape::bytes() const noexcept { return elements(sizes) * static_cast<double>(element_bytes); }

Work work_of(const OperatorCall& call) {
  const auto* const found = std::find_if(kNamedWork.begin(), kNamedWork.end(),
                                         [&](const NamedWork& entry) { return entry.name == call.name; });
  const Work work = found == kNamedWork.end() ? pass_over(call) : by_rule(found->rule, call);
  return work.bytes > 0 ? work : Work{};
}

}  // namespace stepsim
