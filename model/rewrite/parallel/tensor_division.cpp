#include "model/rewrite/parallel/tensor_division.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <span>
#include <string_view>

namespace stepsim {
namespace {

using Operator = OperatorTable::Operator;

/// The backward pass may leave out this many layers in a row: those whose gradients nothing needs.
constexpr std::size_t kMostLeftOut = 4;

/// What a captured layer does with a divided hidden dimension.
enum class Role : std::uint8_t { kWhole, kByColumns, kByInner };

/// A linear layer of the forward pass.
struct Layer {
  double inner = 0;
  double columns = 0;
  Role role = Role::kWhole;
  std::size_t region = 0;  ///< index into regions_; only if not kWhole
  int products = 0;        ///< products of the backward pass found so far

  /// The dimension that the ranks divide.
  [[nodiscard]] double divided() const noexcept { return role == Role::kByColumns ? columns : inner; }
};

/// Consecutive layers that are divided: some by columns, and one by its inner dimension at the end, if there is one.
struct Region {
  std::size_t first = 0;  ///< index of its first layer
  // Calls of the backward pass through the layers that are divided by columns.
  std::optional<std::size_t> begin;            ///< the first product
  std::optional<std::size_t> weight_gradient;  ///< the first product that computes the gradient of a weight
  std::optional<std::size_t> input_gradient;   ///< the last one that computes a part of the gradient of the input
};

bool is_norm(std::string_view name) {
  static constexpr auto kNorms = std::to_array<std::string_view>(
      {"aten::native_layer_norm", "aten::layer_norm", "aten::rms_norm", "aten::_fused_rms_norm"});
  return std::find(kNorms.begin(), kNorms.end(), name) != kNorms.end();
}

/// True for operators that may stand between the layers that compute an attention's queries, keys and values.
bool only_moves(std::string_view name) {
  static constexpr auto kMoves = std::to_array<std::string_view>(
      {"aten::add", "aten::add_", "aten::copy_", "aten::clone", "aten::contiguous", "aten::_to_copy", "aten::fill_"});
  return std::find(kMoves.begin(), kMoves.end(), name) != kMoves.end();
}

double elements_in(const TensorShape& tensor) noexcept {
  double count = 1;
  for (const std::int64_t size : tensor.sizes) count *= static_cast<double>(size);
  return count;
}

std::int64_t element_bytes(const Operator& op) noexcept {
  const auto found = std::find_if(op.inputs.begin(), op.inputs.end(),
                                  [](const TensorShape& input) { return input.element == ElementKind::kFloat; });
  return found == op.inputs.end() ? 4 : found->element_bytes;
}

/// True if a tensor has these two sizes, in any order.
bool has_sizes(const TensorShape& tensor, double one, double other) noexcept {
  if (tensor.sizes.size() != 2) return false;
  const auto a = static_cast<double>(tensor.sizes[0]);
  const auto b = static_cast<double>(tensor.sizes[1]);
  return (a == one && b == other) || (a == other && b == one);
}

/// Returns the number of heads that an attention, or the softmax of one, has; 0 if it is none or does not show them.
std::int64_t heads_in(const Operator& op) {
  if (op.inputs.empty() || op.inputs.front().sizes.size() != 4) return 0;
  const std::vector<std::int64_t>& sizes = op.inputs.front().sizes;
  // PyTorch's public functions have heads before queries; the libraries' own functions have them after queries.
  if (op.work.kind == KernelClass::kAttention)
    return sizes[op.name.find("scaled_dot_product") == std::string::npos ? 2 : 1];
  return op.name.ends_with("softmax") ? sizes[1] : 0;
}

/// Returns the heads of keys and values of an attention. `mixed` are the columns of the layers that compute queries,
/// keys and values, and `attended` those that the layer after the attention reads: heads + 2 * key heads and heads,
/// each times the size of a head. Returns `heads` if the layers compute something else.
std::int64_t key_heads_of(double mixed, double attended, std::int64_t heads) {
  const double key_heads = (mixed - attended) * static_cast<double>(heads) / (2 * attended);
  const auto whole = static_cast<std::int64_t>(key_heads);
  return whole > 0 && static_cast<double>(whole) == key_heads && heads % whole == 0 ? whole : heads;
}

class Divider {
 public:
  Divider(const OperatorTable& table, const std::vector<ModelCall>& calls, bool sequence, bool overlap)
      : table_(table), calls_(calls), sequence_(sequence), overlap_(overlap) {
    result_.divided.resize(calls.size(), Divided::kNot);
  }

  TensorDivision run() && {
    std::vector<std::size_t> model;  // calls that are not of an optimizer's step
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      if (calls_[i].pass != Pass::kUpdate) model.push_back(i);
    }
    const auto end_of = [&](std::size_t from, Pass pass) {
      while (from < model.size() && calls_[model[from]].pass == pass) ++from;
      return from;
    };
    for (std::size_t i = 0; i < model.size();) {
      const std::size_t forward_end = end_of(i, Pass::kForward);
      const std::size_t backward_end = end_of(forward_end, Pass::kBackward);
      forward(std::span(model).subspan(i, forward_end - i));
      backward(std::span(model).subspan(forward_end, backward_end - forward_end));
      i = backward_end;
    }
    const auto place = [](const TensorDivision::Exchange& one) {
      return 2 * one.at + (one.op == CollectiveOp::kAllGather ? 0 : 1);
    };
    std::sort(result_.exchanges.begin(), result_.exchanges.end(),
              [&place](const auto& a, const auto& b) { return place(a) < place(b); });
    return std::move(result_);
  }

 private:
  using Calls = std::span<const std::size_t>;

  [[nodiscard]] const Operator& op(std::size_t call) const { return table_.operators[calls_[call].which]; }
  [[nodiscard]] bool is_layer(std::size_t call) const {
    return is_single_product(op(call)) && op(call).work.shape.rows == tokens_;
  }
  [[nodiscard]] Divided by_kind(std::size_t call) const {
    return op(call).work.flops > 0 ? Divided::kCount : Divided::kElements;
  }
  [[nodiscard]] Bytes bytes_of_hidden(std::size_t call) const {
    return Bytes{static_cast<std::int64_t>(tokens_ * hidden_) * element_bytes(op(call))};
  }
  /// Sums what a call computes.
  void sum(std::size_t call, std::optional<std::size_t> before) {
    const CollectiveOp op = sequence_ ? CollectiveOp::kReduceScatter : CollectiveOp::kAllReduce;
    result_.exchanges.push_back({op, call, before, bytes_of_hidden(call)});
  }
  /// Gathers the parts of a tensor that the ranks divide by tokens, if they do.
  void gather(std::size_t call, std::size_t before) {
    if (sequence_) result_.exchanges.push_back({CollectiveOp::kAllGather, call, before, bytes_of_hidden(call)});
  }
  /// Divides a call by tokens if it works on the hidden dimension and is not divided otherwise.
  void divide_tokens(std::size_t call) {
    const bool divisible = result_.divided[call] == Divided::kNot && op(call).work.flops == 0 &&
                           !op(call).name.starts_with("aten::embedding") && reads_hidden(call);
    if (sequence_ && divisible) result_.divided[call] = Divided::kElements;
  }

  // ---- forward

  void forward(Calls calls) {
    layers_.clear();
    regions_.clear();
    has_head_ = false;
    find_dimensions(calls);
    if (tokens_ == 0) return;
    sum_lookups(calls);
    for (std::size_t i = 0; i < calls.size();) {
      if (!is_layer(calls[i])) {
        ++i;
      } else if (const std::optional<std::size_t> last = end_of_region(calls, i)) {
        divide(calls, i, *last + 1, true);
        sum(calls[*last], *last + 1 < calls.size() ? std::optional{calls[*last + 1]} : std::nullopt);
        i = *last + 1;
      } else if (is_head(calls, i)) {
        divide(calls, i, calls.size(), false);
        has_head_ = true;
        i = calls.size();
      } else {
        layers_.push_back(layer_of(calls[i]));
        ++result_.whole_products;
        ++i;
      }
    }
    if (regions_.empty()) return;
    for (const std::size_t call : calls) divide_tokens(call);
  }

  [[nodiscard]] Layer layer_of(std::size_t call) const {
    return {.inner = op(call).work.shape.inner, .columns = op(call).work.shape.columns};
  }

  /// Finds the number of tokens, which is the number of rows of the products that do most of the work, and the hidden
  /// dimension, which the first of these reads.
  void find_dimensions(Calls calls) {
    std::map<double, double> flops;
    for (const std::size_t call : calls) {
      if (is_single_product(op(call))) flops[op(call).work.shape.rows] += op(call).work.flops;
    }
    const auto most =
        std::max_element(flops.begin(), flops.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    tokens_ = most == flops.end() ? 0 : most->first;
    const auto first = std::find_if(calls.begin(), calls.end(), [this](std::size_t call) { return is_layer(call); });
    hidden_ = first == calls.end() ? 0 : op(*first).work.shape.inner;
  }

  /// Sums the results of lookups in the largest table, of which each rank has a part. They come before the layers;
  /// those after them select tokens, such as the ones of an expert.
  void sum_lookups(Calls calls) {
    vocabulary_ = 0;
    const auto is_one = [this](std::size_t call) { return is_layer(call); };
    const auto first = std::find_if(calls.begin(), calls.end(), is_one);
    const double words =
        first == calls.end() ? 0 : layer_of(*std::find_if(calls.rbegin(), calls.rend(), is_one)).columns;
    calls = calls.first(static_cast<std::size_t>(first - calls.begin()));
    const auto rows = [this](std::size_t call) {
      const Operator& lookup = op(call);
      const bool is_of_hidden = is_lookup(lookup) && static_cast<double>(lookup.inputs.front().sizes[1]) == hidden_;
      return is_of_hidden ? static_cast<double>(lookup.inputs.front().sizes[0]) : 0;
    };
    for (const std::size_t call : calls) {
      if (vocabulary_ != words || words == 0)
        vocabulary_ = rows(call) == words ? words : std::max(vocabulary_, rows(call));
    }
    for (std::size_t i = 0; vocabulary_ > 0 && i < calls.size(); ++i) {
      if (rows(calls[i]) == vocabulary_) sum(calls[i], i + 1 < calls.size() ? calls[i + 1] : *first);
    }
  }

  /// Returns the place of the layer that ends a region that the layer at `first` begins; nothing if that layer begins
  /// none.
  [[nodiscard]] std::optional<std::size_t> end_of_region(Calls calls, std::size_t first) const {
    if (layer_of(calls[first]).inner != hidden_) return std::nullopt;
    bool mixed = false;  // something was computed from the results of the region's layers
    for (std::size_t i = first + 1; i < calls.size(); ++i) {
      const Operator& next = op(calls[i]);
      if (is_layer(calls[i])) {
        const Layer layer = layer_of(calls[i]);
        if (layer.columns == hidden_ && (layer.inner != hidden_ || mixed)) return i;
      } else if (is_norm(next.name) && !next.inputs.empty() && is_hidden(next.inputs.front())) {
        return std::nullopt;
      } else {
        mixed = mixed || !only_moves(next.name);
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] bool is_hidden(const TensorShape& tensor) const {
    return !tensor.sizes.empty() && static_cast<double>(tensor.sizes.back()) == hidden_ &&
           elements_in(tensor) == tokens_ * hidden_;
  }

  [[nodiscard]] bool is_head(Calls calls, std::size_t place) const {
    const Layer layer = layer_of(calls[place]);
    if (layer.inner != hidden_ || layer.columns <= 2 * hidden_) return false;
    const Calls rest = calls.subspan(place + 1);
    return std::none_of(rest.begin(), rest.end(), [this](std::size_t call) { return is_layer(call); });
  }

  /// Divides the calls from `first` up to `end`. If `is_closed` is true, the last of them is divided by its inner
  /// dimension.
  void divide(Calls calls, std::size_t first, std::size_t end, bool is_closed) {
    regions_.push_back({.first = layers_.size()});
    gather(calls[first], calls[first]);
    std::int64_t heads = 0;
    double mixed = 0;  // columns of the layers that read the hidden dimension
    for (std::size_t i = first; i < end; ++i) {
      if (!is_layer(calls[i])) {
        result_.divided[calls[i]] = by_kind(calls[i]);
        heads = std::max(heads, heads_in(op(calls[i])));
        continue;
      }
      Layer layer = layer_of(calls[i]);
      layer.region = regions_.size() - 1;
      if (is_closed && i + 1 == end) {
        layer.role = Role::kByInner;
      } else if (layer.inner == hidden_) {
        layer.role = Role::kByColumns;
        mixed += layer.columns;
      }
      static constexpr std::array kOfRole{Divided::kNot, Divided::kColumns, Divided::kInner};
      result_.divided[calls[i]] = kOfRole[static_cast<std::size_t>(layer.role)];
      ++(layer.role == Role::kWhole ? result_.whole_products : result_.products);
      layers_.push_back(layer);
    }
    result_.heads = std::max(result_.heads, heads);
    if (heads > 0 && is_closed)
      result_.key_heads = std::gcd(result_.key_heads, key_heads_of(mixed, layers_.back().inner, heads));
  }

  // ---- backward

  void backward(Calls calls) {
    if (layers_.empty()) return;
    current_ = layers_.size() - 1;
    inside_ = has_head_;
    after_columns_ = false;
    std::optional<std::size_t> lookup;  // the last gradient of a lookup
    std::vector<std::size_t> between;   // calls between the regions
    for (const std::size_t call : calls) {
      if (vocabulary_ > 0 && op(call).name == "aten::embedding_dense_backward") lookup = call;
      const std::optional<std::size_t> layer = is_single_product(op(call)) ? layer_with_product(call) : std::nullopt;
      if (layer) {
        divide_product(call, layers_[*layer]);
      } else if (is_on_divided_parameter(call)) {
        result_.divided[call] = Divided::kElements;
      } else if (inside_ && !(after_columns_ && reads_hidden(call))) {
        result_.divided[call] = by_kind(call);
      } else if (!inside_) {
        between.push_back(call);
      }
    }
    if (lookup) gather(*lookup, *lookup);
    for (const Region& region : regions_) {
      if (region.begin && region.weight_gradient) gather(*region.begin, *region.weight_gradient);
      sum_input_gradient(calls, region);
    }
    if (regions_.empty()) return;
    for (const std::size_t call : between) divide_tokens(call);
  }

  /// Returns the layer whose gradients a product computes: the current one or one of those before it. It has the three
  /// dimensions of the layer, in another order.
  [[nodiscard]] std::optional<std::size_t> layer_with_product(std::size_t call) {
    const ProductShape& shape = op(call).work.shape;
    std::array dimensions{shape.rows, shape.inner, shape.columns};
    std::sort(dimensions.begin(), dimensions.end());
    for (std::size_t left_out = 0; left_out <= std::min(kMostLeftOut, current_); ++left_out) {
      Layer& layer = layers_[current_ - left_out];
      std::array own{tokens_, layer.inner, layer.columns};
      std::sort(own.begin(), own.end());
      if (layer.products == 2 || own != dimensions) continue;
      ++layer.products;
      current_ -= left_out;
      return current_;
    }
    return std::nullopt;
  }

  void divide_product(std::size_t call, const Layer& layer) {
    if (layer.role == Role::kWhole) return;
    const ProductShape& shape = op(call).work.shape;
    Region& region = regions_[layer.region];
    // The gradient of the weight is a sum over tokens. If the layer has other dimensions of that size, the gradient of
    // the input comes first.
    const bool is_of_weight = shape.inner == tokens_ && (shape.rows != tokens_ || layer.products == 2);
    if (is_of_weight) {
      result_.divided[call] = shape.rows == layer.divided() ? Divided::kRows : Divided::kColumns;
    } else {
      result_.divided[call] = layer.role == Role::kByColumns ? Divided::kInner : Divided::kColumns;
    }
    if (layer.role == Role::kByInner) {
      if (layer.products == 1) gather(call, call);
      inside_ = inside_ || layer.products == 1;
      after_columns_ = false;
      return;
    }
    if (!region.begin) region.begin = call;
    if (!is_of_weight) region.input_gradient = call;
    if (is_of_weight && !region.weight_gradient) region.weight_gradient = call;
    after_columns_ = true;
    if (current_ == region.first) inside_ = false;
  }

  /// True if a call works on the divided weight of the current layer, or on its gradient, such as AccumulateGrad.
  [[nodiscard]] bool is_on_divided_parameter(std::size_t call) const {
    const std::vector<TensorShape>& inputs = op(call).inputs;
    if (inputs.empty() || op(call).work.flops > 0) return false;
    const Layer& layer = layers_[current_];
    if (layer.role != Role::kWhole && has_sizes(inputs.front(), layer.inner, layer.columns)) return true;
    return vocabulary_ > 0 && has_sizes(inputs.front(), vocabulary_, hidden_);
  }

  [[nodiscard]] bool reads_hidden(std::size_t call) const {
    const std::vector<TensorShape>& inputs = op(call).inputs;
    return std::any_of(inputs.begin(), inputs.end(), [this](const TensorShape& input) { return is_hidden(input); });
  }

  /// Sums the gradient of a region's input before the first call that needs it: work on whole tensors that is no
  /// product. Without overlap, before the next call.
  void sum_input_gradient(Calls calls, const Region& region) {
    if (!region.input_gradient) return;
    const auto from = std::upper_bound(calls.begin(), calls.end(), *region.input_gradient);
    const auto needs = !overlap_ ? from : std::find_if(from, calls.end(), [this](std::size_t call) {
      return result_.divided[call] == Divided::kNot && op(call).work.flops == 0 && reads_hidden(call);
    });
    sum(*region.input_gradient, needs == calls.end() ? std::nullopt : std::optional{*needs});
  }

  const OperatorTable& table_;
  const std::vector<ModelCall>& calls_;
  bool sequence_;
  bool overlap_;
  TensorDivision result_;

  // Of the current forward pass and the backward pass after it.
  double tokens_ = 0;
  double hidden_ = 0;
  double vocabulary_ = 0;  // rows of the largest lookup table; 0 if there is none
  bool has_head_ = false;
  std::vector<Layer> layers_;
  std::vector<Region> regions_;
  std::size_t current_ = 0;     // the layer that the backward pass has reached
  bool inside_ = false;         // it is in a region
  bool after_columns_ = false;  // of which it has reached the layers that are divided by columns
};

}  // namespace

bool is_single_product(const Operator& op) noexcept {
  return op.work.kind == KernelClass::kGemm && op.work.shape.count > 0 && op.work.shape.count <= 1;
}

bool is_batched_product(const Operator& op) noexcept {
  return op.work.kind == KernelClass::kGemm && op.work.shape.count > 1;
}

bool is_lookup(const Operator& op) noexcept {
  return (op.name == "aten::embedding" || op.name == "aten::index_select") && !op.inputs.empty() &&
         op.inputs.front().sizes.size() == 2;
}

TensorDivision divide_calls(const OperatorTable& table, const std::vector<ModelCall>& calls, bool sequence,
                            bool overlap) {
  return Divider(table, calls, sequence, overlap).run();
}

}  // namespace stepsim
