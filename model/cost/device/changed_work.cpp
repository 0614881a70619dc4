#include "model/cost/device/device_work.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <utility>

namespace stepsim {
namespace {

// ---- change of precision

/// Returns the factor by which an operator's inputs grow or shrink if floats have `size` bytes per element; 1 if there
/// are no inputs. Tensors in lists have no recorded type and are assumed to be floats of precision `from`.
double bytes_ratio(const std::vector<TensorShape>& inputs, Precision from, double size) {
  double before = 0;
  double after = 0;
  for (const TensorShape& input : inputs) {
    if (input.sizes.empty()) continue;
    before += input.bytes();
    switch (input.element) {
      case ElementKind::kOther: after += input.bytes(); break;
      case ElementKind::kFloat: after += input.bytes() * size / static_cast<double>(input.element_bytes); break;
      case ElementKind::kUnknown: after += input.bytes() * size / size_of(from); break;
    }
  }
  return before > 0 ? after / before : 1;
}

/// Returns the bytes of a product whose operands have 8 bits and whose result has 16, relative to those in 16 bits.
double float8_share(const ProductShape& shape) {
  const double operands = shape.inner * (shape.rows + shape.columns);
  const double all = operands + shape.rows * shape.columns;
  return all > 0 ? 1 - operands / all / 2 : 0.5;
}

// ---- division among tensor-parallel ranks

double ProductShape::*dimension_of(Divided divided) noexcept {
  switch (divided) {
    case Divided::kRows: return &ProductShape::rows;
    case Divided::kColumns: return &ProductShape::columns;
    case Divided::kInner: return &ProductShape::inner;
    case Divided::kCount: return &ProductShape::count;
    case Divided::kNot:
    case Divided::kElements: break;
  }
  return nullptr;
}

// ---- change of the number of samples

/// The inputs of an operator that are parameters by definition: `count` inputs from `first` on.
struct Parameters {
  std::string_view name;
  std::size_t first;
  std::size_t count;
};
constexpr auto kParameters = std::to_array<Parameters>({
    {"torch::autograd::AccumulateGrad", 0, 1},
    {"aten::linear", 1, 2},
    {"aten::conv1d", 1, 2},
    {"aten::conv2d", 1, 2},
    {"aten::conv3d", 1, 2},
    {"aten::convolution", 1, 2},
    {"aten::_convolution", 1, 2},
    {"aten::embedding", 0, 1},
    {"aten::embedding_bag", 0, 1},
    {"aten::layer_norm", 2, 2},
    {"aten::batch_norm", 1, 4},
    {"aten::group_norm", 2, 2},
});

std::span<const TensorShape> parameters_of(const OperatorTable::Operator& op) {
  const std::span<const TensorShape> inputs(op.inputs);
  const auto* const known =
      std::find_if(kParameters.begin(), kParameters.end(), [&op](const auto& entry) { return entry.name == op.name; });
  if (known != kParameters.end() && known->first < inputs.size())
    return inputs.subspan(known->first, std::min(known->count, inputs.size() - known->first));
  // If aten::addmm adds a one-dimensional bias, it computes a linear layer. The second factor is then the weight.
  const bool biased = op.name == "aten::addmm" && inputs.size() > 2 && inputs[0].sizes.size() == 1;
  return biased ? inputs.subspan(2, 1) : std::span<const TensorShape>{};
}

constexpr double kMostElements = 1e15;  // more would not fit any device

std::vector<std::int64_t> sorted(std::vector<std::int64_t> sizes) {
  std::sort(sizes.begin(), sizes.end());
  return sizes;
}

/// Returns the sizes of a tensor whose last two dimensions change places.
std::vector<std::int64_t> transposed(std::vector<std::int64_t> sizes) {
  std::swap(sizes[sizes.size() - 1], sizes[sizes.size() - 2]);
  return sizes;
}

/// Returns the index of a product's first factor.
std::size_t first_factor(const OperatorTable::Operator& op) noexcept { return adds_to_product(op.name) ? 1 : 0; }

/// True for a product of two tensors, neither of which is a vector.
bool multiplies_matrices(const OperatorTable::Operator& op) noexcept {
  const std::size_t first = first_factor(op);
  return op.work.kind == KernelClass::kGemm && op.inputs.size() >= first + 2 && op.inputs[first].sizes.size() > 1 &&
         op.inputs[first + 1].sizes.size() > 1;
}

/// True for operators that autograd and training loops call on whole parameters or gradients: copies, casts, norms of
/// all elements and arithmetic in place. Others with an "aten::" name are parts of layers.
bool may_take_parameter(std::string_view name) {
  static constexpr auto kNames = std::to_array<std::string_view>(
      {"aten::add_", "aten::sub_", "aten::mul_", "aten::div_", "aten::copy_", "aten::_to_copy", "aten::clone",
       "aten::fill_", "aten::zero_", "aten::norm", "aten::linalg_vector_norm"});
  return !name.starts_with("aten::") || name.starts_with("aten::_foreach_") ||
         std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

bool looks_up(KernelClass kind) { return kind == KernelClass::kGather || kind == KernelClass::kScatter; }

}  // namespace

bool has_precision(const DeviceWork& piece) noexcept {
  switch (piece.kind) {
    case KernelClass::kHostCopy:
    case KernelClass::kStagedCopy:
    case KernelClass::kMemset:
    case KernelClass::kCollective:
    case KernelClass::kOptimizer:
    case KernelClass::kUnknown: return false;
    default: return !piece.in_optimizer;
  }
}

namespace {

/// Returns the work with floats of another size, in whatever precision they were before.
DeviceWork with_floats(const DeviceWork& piece, const OperatorTable& table, Precision to) {
  const bool product = limit_of(piece.kind) == Limit::kFlops;
  const double size = size_of(to);
  const double ratio = piece.which ? bytes_ratio(table.operators[*piece.which].inputs, piece.precision, size)
                                   : size / size_of(piece.precision);
  DeviceWork changed = piece;
  if (changed.work && changed.recipe != nullptr) changed.work->bytes /= float8_share(changed.work->shape);
  changed.recipe = nullptr;
  if (product || ratio != 1) changed.precision = to;
  if (!product) changed.amount *= ratio;
  if (changed.work) {
    changed.work->bytes *= ratio;
    changed.row *= ratio;
    if (product) changed.work->precision = to;
  }
  return changed;
}

}  // namespace

DeviceWork in_precision(const DeviceWork& piece, const OperatorTable& table, Precision to, const Float8Recipe* recipe) {
  if (!has_precision(piece) || !piece.precision_known) return piece;
  if (to != Precision::kFloat8) return with_floats(piece, table, to);
  DeviceWork changed = with_floats(piece, table, Precision::kFloat16);
  const bool single = piece.kind == KernelClass::kGemm && (!piece.work || piece.work->shape.count <= 1);
  if (recipe == nullptr || !single) return changed;
  changed.precision = to;
  changed.recipe = recipe;
  if (!changed.work) return changed;
  changed.work->precision = to;
  changed.work->bytes *= float8_share(changed.work->shape);
  return changed;
}

double elements_of(const ProductShape& shape) noexcept {
  return shape.count * (shape.rows * shape.inner + shape.inner * shape.columns + shape.rows * shape.columns);
}

DeviceWork part_of_rank(const DeviceWork& piece, std::uint32_t ranks) noexcept {
  const Divided divided = piece.in_optimizer ? Divided::kElements : piece.divided;
  if (divided == Divided::kNot || ranks == 1) return piece;
  DeviceWork part = piece;
  const double share = 1.0 / ranks;
  part.amount *= share;
  if (!part.work) return part;
  part.work->flops *= share;
  double ProductShape::*const dimension = dimension_of(divided);
  const double before = elements_of(part.work->shape);
  if (dimension != nullptr) part.work->shape.*dimension *= share;
  part.work->bytes *= dimension != nullptr && before > 0 ? elements_of(part.work->shape) / before : share;
  return part;
}

double size_of(Precision precision) {
  static constexpr std::array<double, kPrecisionCount> kSizes{8, 4, 4, 2, 1};
  return kSizes[static_cast<std::size_t>(precision)];
}

bool adds_to_product(std::string_view name) noexcept {
  return name == "aten::addmm" || name == "aten::_addmm_activation" || name == "aten::addmv" ||
         name == "aten::baddbmm" || name == "aten::addbmm";
}

ParameterSizes::ParameterSizes(std::span<const OperatorTable::Operator> operators) {
  for (const OperatorTable::Operator& op : operators) {
    for (const TensorShape& parameter : parameters_of(op)) {
      if (parameter.sizes.empty()) continue;
      std::set<Sizes>& stored = sizes_[sorted(parameter.sizes)];
      if (!adds_to_product(op.name)) stored.insert(parameter.sizes);  // products read a transposed view
      double elements = 1;
      for (const std::int64_t size : parameter.sizes) elements *= static_cast<double>(size);
      if (elements < kMostElements) elements_.insert(static_cast<std::int64_t>(elements));
    }
  }
  for (const OperatorTable::Operator& op : operators) {
    if (!multiplies_matrices(op) || !is_parameter(op.inputs[first_factor(op) + 1])) continue;
    const Sizes& left = op.inputs[first_factor(op)].sizes;
    const Sizes& right = op.inputs[first_factor(op) + 1].sizes;
    samples_.insert(left);
    Sizes result = left;
    const std::int64_t inner = right[right.size() - 2];
    result.back() = inner == left.back() ? right.back() : inner;  // aten::linear reads the weight as it is stored
    samples_.insert(std::move(result));
  }
}

bool ParameterSizes::is_parameter(const TensorShape& tensor) const { return sizes_.contains(sorted(tensor.sizes)); }

bool ParameterSizes::may_be_either(const TensorShape& tensor) const {
  return samples_.contains(tensor.sizes) && is_parameter(tensor);
}

bool ParameterSizes::holds_samples(const OperatorTable::Operator& op, std::size_t input) const {
  const TensorShape& tensor = op.inputs[input];
  if (tensor.sizes.size() < 2) return false;
  const auto known = sizes_.find(sorted(tensor.sizes));
  if (known == sizes_.end()) return true;
  if (multiplies_matrices(op)) {
    if (input != first_factor(op)) return false;
    // A gradient of a weight is a product of samples. Its first factor is a transposed view.
    return is_parameter(op.inputs[input + 1]) || samples_.contains(transposed(tensor.sizes));
  }
  if (op.work.flops > 0 || !samples_.contains(tensor.sizes)) return false;
  const std::set<Sizes>& stored = known->second;
  return !may_take_parameter(op.name) || (!stored.empty() && !stored.contains(tensor.sizes));
}

SampleGrowth::SampleGrowth(const OperatorTable& table, double factor) : factor_(factor), parameters_(table.operators) {
  share_.reserve(table.operators.size());
  dimension_.reserve(table.operators.size());
  for (const OperatorTable::Operator& op : table.operators) {
    share_.push_back(share_of(op));
    dimension_.push_back(dimension_of(op));
  }
}

/// Returns the share of an operator's bytes that carries samples. A product always involves samples: if all its inputs
/// look like parameters, half of its bytes are assumed to be samples.
double SampleGrowth::share_of(const OperatorTable::Operator& op) const {
  if (op.work.kind == KernelClass::kGather) return 1;  // its bytes are only those of the rows it looks up
  double samples = 0;
  double all = 0;
  for (std::size_t i = 0; i < op.inputs.size(); ++i) {
    all += op.inputs[i].bytes();
    if (parameters_.holds_samples(op, i)) samples += op.inputs[i].bytes();
  }
  if (samples > 0) return samples / all;
  return op.work.flops > 0 ? 0.5 : 0;
}

SampleGrowth::Dimension SampleGrowth::dimension_of(const OperatorTable::Operator& op) const {
  if (!multiplies_matrices(op)) return &ProductShape::rows;
  const std::size_t first = first_factor(op);
  const bool left = parameters_.holds_samples(op, first);
  const bool right = parameters_.holds_samples(op, first + 1);
  if (left && right) return op.work.shape.count > 1 ? &ProductShape::count : &ProductShape::inner;
  return right ? &ProductShape::columns : &ProductShape::rows;
}

DeviceWork SampleGrowth::grown(const DeviceWork& piece) const {
  if (piece.in_optimizer || piece.kind == KernelClass::kCollective) return piece;
  const double share = piece.which && !looks_up(piece.kind) ? share_[*piece.which] : 1;
  DeviceWork changed = piece;
  if (changed.work) {
    changed.work->flops *= share > 0 ? factor_ : 1;
    if (share > 0 && piece.which) changed.work->shape.*dimension_[*piece.which] *= factor_;
    changed.work->bytes *= 1 + (factor_ - 1) * share;
  }
  // If any input of a product carries samples, all of its arithmetic grows with the samples. Of the product's bytes,
  // only the share that carries samples grows; the parameters keep their size.
  changed.amount *= 1 + (factor_ - 1) * (limit_of(piece.kind) == Limit::kFlops && share > 0 ? 1 : share);
  return changed;
}

}  // namespace stepsim
