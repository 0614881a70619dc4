#include "model/rewrite/parallel/step_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <string_view>

#include "model/base/error.h"
#include "model/base/text.h"
#include "model/cost/device/device_work.h"
#include "model/rewrite/buckets.h"
#include "model/rewrite/parallel/experts.h"
#include "model/rewrite/parallel/kept_tensors.h"
#include "model/rewrite/parallel/layers.h"
#include "model/rewrite/parallel/pipeline.h"
#include "model/rewrite/parallel/tensor_division.h"

namespace stepsim {
namespace {

using Operator = OperatorTable::Operator;

constexpr std::string_view kOptimizerStep = "Optimizer.step#";

/// Returns the index after the second factor of a product.
std::size_t factors_end(const Operator& op) noexcept {
  return std::min(op.inputs.size(), adds_to_product(op.name) ? std::size_t{3} : std::size_t{2});
}

/// An operator whose states are known.
struct KnownOptimizer {
  std::string_view name;  ///< a part of the class's name, in lower case
  double least;
  double usual;
  double most;
};
/// The first that fits counts. The states that a class has depend on its arguments (momentum, amsgrad, centered).
constexpr auto kOptimizers = std::to_array<KnownOptimizer>({
    {"adamax", 2, 2, 2},
    {"adam", 2, 2, 3},
    {"adagrad", 1, 1, 1},
    {"adadelta", 2, 2, 2},
    {"adafactor", 0, 0, 1},
    {"lamb", 2, 2, 2},
    {"lars", 1, 1, 1},
    {"lion", 1, 1, 1},
    {"rmsprop", 1, 1, 3},
    {"sgd", 0, 1, 1},
});

Bytes rounded(double bytes) { return Bytes{static_cast<std::int64_t>(std::min(std::ceil(bytes), 0x1p60))}; }

}  // namespace

OptimizerStates optimizer_states_of(const Capture& capture) {
  const auto& names = capture.annotations.names;
  const auto named = std::find_if(names.begin(), names.end(),
                                  [](const std::string& name) { return name.starts_with(kOptimizerStep); });
  if (named == names.end()) return {.least = 0};
  if (is_modelled_step(capture)) return {.name = "Adam", .modelled = true};
  std::string_view name = std::string_view(*named).substr(kOptimizerStep.size());
  name = name.substr(0, name.find('.'));
  const std::string lower = lower_case(name);
  const auto* const known = std::find_if(kOptimizers.begin(), kOptimizers.end(), [&lower](const KnownOptimizer& one) {
    return lower.find(one.name) != std::string::npos;
  });
  if (known == kOptimizers.end()) return {.name = std::string(name), .least = 0, .usual = 2, .most = 3};
  return {std::string(name), known->least, known->usual, known->most};
}

/// Finds what each call of a forward pass adds to the parts.
class StepMemory::Finder {
 public:
  Finder(const Capture& capture, const std::vector<ModelCall>& calls, StepMemory& memory)
      : table_(capture.operators),
        calls_(calls),
        sizes_(table_.operators),
        division_(divide_calls(table_, calls, false)),
        experts_(table_),
        memory_(memory) {}

  /// `layers` is null if no layers repeat.
  void run(const Passes& passes, const StepLayers* layers) {
    find_precision(passes);
    const std::size_t count = layers == nullptr ? 0 : layers->count;
    memory_.parts_.resize(count + 2);
    std::size_t part = 0;
    first_product_ = passes.forward;
    while (first_product_ < passes.backward && !is_product(op_of(first_product_))) ++first_product_;
    for (std::size_t i = passes.forward; i < passes.backward; ++i) {
      while (part <= count && count > 0 && i >= layers->forward_of(part)) ++part;
      add(i, memory_.parts_[part]);
    }
    bool after_product = false;  // of which only sums were computed
    for (std::size_t i = passes.backward; i < passes.end; ++i) {
      const Operator& op = op_of(i);
      memory_.keeps_gradients_ = memory_.keeps_gradients_ || adds_to_gradient(op, after_product);
      after_product = is_product(op) || (after_product && (op.name == "aten::add_" || op.name == "aten::sum"));
    }
    for (std::size_t i = passes.end; i < calls_.size(); ++i)
      memory_.updates_in_lists_ = memory_.updates_in_lists_ || op_of(i).name.starts_with("aten::_foreach_");
  }

 private:
  [[nodiscard]] const Operator& op_of(std::size_t call) const { return table_.operators[calls_[call].which]; }

  /// Finds the size of the elements that the products of the forward pass read.
  void find_precision(const Passes& passes) {
    double most = 0;
    for (std::size_t i = passes.forward; i < passes.backward; ++i) {
      const Operator& op = op_of(i);
      const std::size_t first = adds_to_product(op.name) ? 1 : 0;
      if (!is_product(op) || op.work.flops <= most || op.inputs.size() <= first) continue;
      most = op.work.flops;
      memory_.activation_bytes_ = static_cast<double>(op.inputs[first].element_bytes);
    }
  }
  /// True for a tensor whose elements have this size.
  [[nodiscard]] bool is_cast(const TensorShape& tensor) const {
    return static_cast<double>(tensor.element_bytes) == memory_.activation_bytes_;
  }

  /// True for the addition of a gradient to one that exists. A gradient of samples can have the sizes of a weight; that
  /// of a weight is added after the product that computes it.
  [[nodiscard]] bool adds_to_gradient(const Operator& op, bool after_product) const {
    return op.name == "aten::add_" && op.inputs.size() > 1 && op.inputs[0].sizes == op.inputs[1].sizes &&
           sizes_.is_parameter(op.inputs[0]) && (after_product || !sizes_.may_be_either(op.inputs[0]));
  }

  /// True for a parameter that is told by its place: the weight or bias of a layer, what a lookup reads from, or what
  /// is cast for a layer.
  [[nodiscard]] bool is_placed_parameter(std::size_t call, std::size_t input) const {
    const Operator& op = op_of(call);
    if (is_single_product(op)) return input + 1 == factors_end(op) || (input == 0 && adds_to_product(op.name));
    if (is_batched_product(op)) {
      const TensorShape& tensor = op.inputs[input];
      return input + 1 == factors_end(op) && (experts_.is_weight(tensor) || sizes_.is_parameter(tensor));
    }
    if (op.work.kind == KernelClass::kConvolution) return input == 1;
    return is_table(call) ? input == 0 : is_cast_of_weight(call);
  }

  /// True for a lookup of rows of a parameter: before the first product. Later ones select tokens, such as those of an
  /// expert.
  [[nodiscard]] bool is_table(std::size_t call) const { return is_lookup(op_of(call)) && call < first_product_; }

  /// True for a parameter of the model. Where no place tells it, its sizes do, unless tensors of samples have the same.
  [[nodiscard]] bool is_parameter(std::size_t call, std::size_t input) const {
    const Operator& op = op_of(call);
    const TensorShape& tensor = op.inputs[input];
    if (tensor.sizes.empty() || tensor.element == ElementKind::kOther) return false;
    if (op.name.ends_with("_like")) return false;  // reads no more than the sizes
    if (is_placed_parameter(call, input)) return true;
    if (is_product(op) || is_lookup(op)) return tensor.sizes.size() == 1;
    // An operator on vectors alone, as those of a loss, applies no parameter to samples.
    if (tensor.sizes.size() == 1) {
      return std::any_of(op.inputs.begin(), op.inputs.end(),
                         [](const TensorShape& input) { return input.sizes.size() > 1; });
    }
    return sizes_.is_parameter(tensor) && !sizes_.may_be_either(tensor);
  }

  /// True for the cast of a weight before the product that reads it: the last copy of a tensor of its sizes, after
  /// which only biases are copied (torch.autocast casts the input of a layer, its weight and its bias, in this order).
  [[nodiscard]] bool is_cast_of_weight(std::size_t call) const {
    const auto is_copy = [](const Operator& op) { return op.name == "aten::copy_" || op.name == "aten::_to_copy"; };
    if (!is_copy(op_of(call)) || op_of(call).inputs.front().sizes.size() < 2) return false;
    std::size_t next = call + 1;
    while (next < calls_.size() && is_copy(op_of(next)) && op_of(next).inputs.front().sizes.size() == 1) ++next;
    if (next >= calls_.size() || !is_single_product(op_of(next))) return false;
    const Operator& product = op_of(next);
    const std::vector<std::int64_t>& cast = op_of(call).inputs.front().sizes;
    const std::vector<std::int64_t>& weight = product.inputs[factors_end(product) - 1].sizes;
    return std::is_permutation(cast.begin(), cast.end(), weight.begin(), weight.end());
  }

  /// True for a product of two tensors of samples, as those of an attention are.
  [[nodiscard]] bool is_in_attention(const Operator& op) const {
    return is_batched_product(op) && std::none_of(op.inputs.begin(), op.inputs.end(), [this](const TensorShape& input) {
             return experts_.is_weight(input);
           });
  }

  /// Returns the inputs of a call that hold samples; of a sum with a product, only those of the product.
  [[nodiscard]] std::vector<const TensorShape*> samples_of(std::size_t call) const {
    const Operator& op = op_of(call);
    std::vector<const TensorShape*> samples;
    const std::size_t first = adds_to_product(op.name) ? 1 : 0;
    for (std::size_t i = first; i < op.inputs.size(); ++i) {
      const TensorShape& input = op.inputs[i];
      if (input.element != ElementKind::kOther && input.sizes.size() > 1 && !is_parameter(call, i))
        samples.push_back(&input);
    }
    return samples;
  }

  void add(std::size_t call, Part& part) {
    const Operator& op = op_of(call);
    if (op.name.starts_with("triton_")) {
      throw CannotAnswer({},
                         "the model was compiled, so that what its kernels keep for the backward pass is not known; "
                         "expected a trace without torch.compile");
    }
    const Divided divided = division_.divided[call];
    const std::vector<const TensorShape*> samples = samples_of(call);
    if (part.input.captured() == 0 && !samples.empty())
      part.input.add(samples.front()->bytes(), is_cast(*samples.front()), false);
    for (const TensorShape* const tensor : samples) {
      if (tensor->bytes() <= part.largest.captured()) continue;
      part.largest = {};
      part.largest.add(tensor->bytes(), is_cast(*tensor), divided != Divided::kNot && divided != Divided::kColumns);
    }
    add_parameters(call, part);
    add_saved(op, divided, samples, part);
  }

  void add_parameters(std::size_t call, Part& part) {
    const Operator& op = op_of(call);
    const Divided divided = division_.divided[call];
    const bool sums_lookup = is_lookup(op) && std::any_of(division_.exchanges.begin(), division_.exchanges.end(),
                                                          [call](const auto& one) { return one.at == call; });
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
      const TensorShape& input = op.inputs[i];
      if (!is_parameter(call, i)) continue;
      // Of a layer that is divided by its inner dimension, each rank has the whole bias.
      const bool is_divided =
          sums_lookup || divided == Divided::kColumns || (divided == Divided::kInner && input.sizes.size() > 1);
      part.parameters.add(input.bytes(), is_divided);
      if (is_table(call)) tables_.push_back(&input);
      if (&part == &memory_.parts_.back() && is_single_product(op) && has_table(input)) memory_.table_ = input.bytes();
      if (experts_.is_weight(input)) part.experts += input.bytes();
      if (input.bytes() > largest_parameter_ && is_placed_parameter(call, i)) {
        largest_parameter_ = input.bytes();
        memory_.bytes_per_element_ = static_cast<double>(input.element_bytes);
      }
    }
  }

  /// True for the weight of a layer that has the sizes of a table.
  [[nodiscard]] bool has_table(const TensorShape& weight) const {
    return std::any_of(tables_.begin(), tables_.end(), [&weight](const TensorShape* table) {
      return std::is_permutation(table->sizes.begin(), table->sizes.end(), weight.sizes.begin(), weight.sizes.end());
    });
  }

  void add_saved(const Operator& op, Divided divided, const std::vector<const TensorShape*>& samples, Part& part) {
    const Keeps keeps = kept_by(op);
    if (keeps == Keeps::kNothing || keeps == Keeps::kUnknown || samples.empty()) {
      random_ = random_ || op.name == "aten::bernoulli_";
      return;
    }
    const bool in_attention = in_attention_;  // after its first product
    if (is_in_attention(op)) in_attention_ = !in_attention_;
    // A layer that is divided by columns reads a tensor that each rank has.
    const bool is_divided = divided != Divided::kNot && divided != Divided::kColumns;
    const auto keep_bytes = [&](double bytes, bool is_cast, bool of_attention) {
      part.saved.add(bytes, is_cast, is_divided);
      if (of_attention) part.attention.add(bytes, is_cast, is_divided);
    };
    const auto keep = [&](const TensorShape& tensor, bool of_attention) {
      keep_bytes(tensor.bytes(), is_cast(tensor), of_attention);
    };
    const TensorShape& first = *samples.front();
    if (keeps == Keeps::kMask) {
      keep_bytes(first.bytes() / static_cast<double>(first.element_bytes), false, in_attention);
    } else if (keeps == Keeps::kOutput) {
      keep(first, in_attention);
    } else if (keeps == Keeps::kInput || samples.size() == 1) {
      const bool scalar = keeps == Keeps::kInputs && !is_product(op) && op.work.kind != KernelClass::kAttention;
      if (!scalar && !is_last_kept(op, first)) keep(first, in_attention);
    } else {
      for (std::size_t i = 0; i < samples.size(); ++i) {
        if (i == 0 && (random_ || is_last_kept(op, first))) continue;
        // Of the product with the values, the values were computed before the attention.
        keep(*samples[i], in_attention && (i == 0 || !is_in_attention(op)));
      }
      if (op.work.kind == KernelClass::kAttention) keep(first, false);  // the result
    }
    random_ = false;
    last_ = {keeps, is_product(op), first.bytes()};
  }

  /// True if the call before kept what this one reads first, as another view: its result, or the input of a product.
  [[nodiscard]] bool is_last_kept(const Operator& op, const TensorShape& first) const {
    return last_ && last_->bytes == first.bytes() &&
           (last_->keeps == Keeps::kOutput || (last_->product && is_product(op) && !is_in_attention(op)));
  }

  /// The last call that kept something.
  struct Kept {
    Keeps keeps;
    bool product;
    double bytes;
  };

  const OperatorTable& table_;
  const std::vector<ModelCall>& calls_;
  ParameterSizes sizes_;
  TensorDivision division_;
  Experts experts_;
  StepMemory& memory_;
  std::optional<Kept> last_;
  std::size_t first_product_ = 0;           ///< of the forward pass; its end if there is none
  std::vector<const TensorShape*> tables_;  ///< that lookups read
  double largest_parameter_ = 0;            ///< bytes of the largest parameter so far
  bool random_ = false;                     ///< a mask for a dropout was drawn; the product with it keeps only the mask
  bool in_attention_ = false;               ///< between the two products of an attention
};

StepMemory::StepMemory(const Capture& capture) : optimizer_(optimizer_states_of(capture)) {
  need_shapes(capture);
  const std::vector<ModelCall> calls = calls_of_typical_step(capture);
  const Passes passes = passes_of(calls);
  std::optional<StepLayers> layers;
  try {
    layers = layers_of(calls);
  } catch (const CannotAnswer&) {  // a model without layers that repeat
  }
  Finder(capture, calls, *this).run(passes, layers ? &*layers : nullptr);
  compare_with_gradients(capture);
}

/// The parameters that the forward pass reads must be those that the backward pass computes gradients for. One that is
/// read twice, such as a table of words that is also the last layer, counts twice in the forward pass. What remains are
/// tensors of samples with the sizes of parameters.
void StepMemory::compare_with_gradients(const Capture& capture) {
  constexpr double kLeastOfGradients = 0.9;
  constexpr double kMostOfGradients = 1.6;
  double parameters = 0;
  for (const Part& part : parts_) parameters += part.parameters.whole + part.parameters.divided;
  double gradients = 0;
  for (const auto& [index, step] : gradients_of_steps(capture)) {
    double bytes = 0;
    for (const Gradient& gradient : step.gradients) bytes += static_cast<double>(gradient.bytes.count());
    gradients = std::max(gradients, bytes);
  }
  if (gradients > 0 && kLeastOfGradients * gradients <= parameters && parameters <= kMostOfGradients * gradients) {
    const Amount& last = parts_.back().parameters;
    if (parameters - gradients < table_ || std::max(last.divided, last.whole) < table_) table_ = 0;  // not tied
    once_ = std::min(1.0, gradients / (parameters - table_));
    return;
  }
  throw CannotAnswer({},
                     fmt::format("the operators of the forward pass show {} of parameters, and those of the backward "
                                 "pass {} of gradients; expected as much of both: a trace of training with PyTorch "
                                 "with record_shapes=True",
                                 to_text(rounded(parameters)), to_text(rounded(gradients))));
}

std::vector<StepMemory::Range> StepMemory::ranges_of(const Parallelism& parallelism) const {
  if (parallelism.parts_of_pipeline() == 1) return {{0, parts_.size()}};
  std::vector<Range> ranges;
  std::size_t end = 1;  // after what comes before the layers
  for (const std::uint32_t layers : parallelism.split) {
    ranges.push_back({end, end + layers});
    end += layers;
  }
  STEPSIM_ASSERT(ranges.size() == parallelism.parts_of_pipeline() && end + 1 == parts_.size(), "the layers are cut");
  ranges.front().first = 0;
  ranges.back().end = parts_.size();
  return ranges;
}

/// Returns what the backward pass needs of a part. Cast elements have `casting` times the captured size.
double StepMemory::kept(const Part& part, const Parallelism& parallelism, double casting) const noexcept {
  const bool is_layer = &part != &parts_.front() && &part != &parts_.back();
  if (is_layer && (parallelism.recompute == Recompute::kLayers || parallelism.recompute == Recompute::kNeeded))
    return part.input.of_rank(parallelism, casting);
  const double saved = part.saved.of_rank(parallelism, casting);
  return parallelism.recompute == Recompute::kAttention ? saved - part.attention.of_rank(parallelism, casting) : saved;
}

/// Returns what a call of the backward pass of a part works on: it reads the gradient of a result and writes that of an
/// input. What a layer does not keep is computed again before.
double StepMemory::working(const Part& part, const Parallelism& parallelism, double casting) const noexcept {
  Parallelism all = parallelism;
  all.recompute = Recompute::kNothing;
  all.sequence = false;  // a call reads tensors that were gathered
  const double call = 2 * part.largest.of_rank(all, casting);
  all.sequence = parallelism.sequence;
  return call + std::max(0.0, kept(part, all, casting) - kept(part, parallelism, casting));
}

/// Returns the bytes of the optimizer's states. They are kept in 32 bits, with a copy of parameters that have fewer.
double StepMemory::states(double parameters, MemorySide side) const noexcept {
  if (side == MemorySide::kLeast && !optimizer_.modelled) return optimizer_.least * parameters;
  const double widening = std::max(1.0, size_of(Precision::kFloat32) / bytes_per_element_);
  const double copies = widening > 1 ? 1 : 0;
  return ((side == MemorySide::kUsual ? optimizer_.usual : optimizer_.most) + copies) * widening * parameters;
}

MemoryParts StepMemory::of_stage(const Parallelism& parallelism, const std::vector<Range>& ranges, std::size_t stage,
                                 double samples, MemorySide side, double activation_bytes) const {
  const double casting = activation_bytes > 0 ? activation_bytes / activation_bytes_ : 1;
  const double of_microbatch = samples / parallelism.microbatches;
  const bool divided = ranges.size() > 1;
  // A table that is also the last layer is on both ends of a pipeline.
  const double once = divided ? 1 : once_;
  const auto amount_of = [&](const Part& part) {
    Amount amount = part.parameters;
    if (!divided && &part == &parts_.back()) (amount.divided >= table_ ? amount.divided : amount.whole) -= table_;
    return amount;
  };
  // The parameters of a part that each replica uses, and, if replicas divide what belongs to parameters, its share.
  const auto parameters_of = [&](const Part& part) {
    const double absent = part.experts - part.experts / parallelism.expert;
    const Amount amount = amount_of(part);
    return once * (amount.whole - absent + amount.divided / parallelism.tensor);
  };
  const auto share_of = [&](const Part& part, std::uint32_t from) {
    if (parallelism.zero < from) return parameters_of(part);
    const Amount amount = amount_of(part);
    return once * (amount.whole + amount.divided / parallelism.tensor) / parallelism.data;
  };
  const std::size_t own_ranges = divided ? parallelism.interleave : 1;
  const auto range = [&](std::size_t own) { return ranges[own * parallelism.pipeline + stage]; };
  std::vector<const Part*> parts;  // of the stage, in the order of the backward pass
  double parameters = 0;
  double largest = 0;  // of the parameters of a part
  for (std::size_t own = 0; own < own_ranges; ++own) {
    for (std::size_t i = range(own).first; i < range(own).end; ++i) {
      parts.push_back(&parts_[i]);
      parameters += parameters_of(parts_[i]);
      largest = std::max(largest, parameters_of(parts_[i]));
    }
  }
  std::reverse(parts.begin(), parts.end());
  // What so many passes through the stage's own parts have kept.
  const auto kept_by = [&](std::size_t passes) {
    double sum = 0;
    for (std::size_t pass = 0; pass < passes; ++pass) {
      const Range own = range(pass / parallelism.pipeline % own_ranges);
      for (std::size_t i = own.first; i < own.end; ++i) sum += kept(parts_[i], parallelism, casting) * of_microbatch;
    }
    return sum;
  };
  const auto share = [&](std::uint32_t from) {
    double sum = 0;
    for (const Part* const part : parts) sum += share_of(*part, from);
    return sum;
  };
  // A part's parameters are gathered while those of the part before are used.
  const double gathered = parallelism.zero == 3 ? 2 * largest : 0;
  // What is sent is collected: a part's gradients, or DistributedDataParallel's buckets, which stay from step to step.
  const double buckets = parallelism.data > 1 && parallelism.zero == 0 ? parameters : 0;
  const double sent = parallelism.data > 1 && parallelism.zero >= 2 ? largest : 0;
  const bool views = buckets > 0 && side == MemorySide::kLeast;  // gradients can be views of the buckets
  // Sums of several microbatches have 32 bits; in buckets, a gradient and its copy have as many together.
  const bool widens = parallelism.microbatches > 1 && buckets == 0 && side != MemorySide::kLeast;
  const double gradient_of_parameter = widens ? std::max(1.0, size_of(Precision::kFloat32) / bytes_per_element_) : 1;
  const double gradients = views ? 0 : gradient_of_parameter * share(2);

  const bool has_casts = casting < 1 && activation_bytes < bytes_per_element_ && side != MemorySide::kLeast;
  const double casts = has_casts ? parameters * activation_bytes / bytes_per_element_ : 0;

  MemoryParts need{.parameters = rounded(share(3) + gathered + casts), .optimizer = rounded(states(share(1), side))};
  double most = 0;
  // A backward pass releases activations and makes gradients, from the last part to the first.
  const auto go_back = [&](double activations, bool gradients_exist) {
    double made = gradients_exist ? gradients : 0;
    for (const Part* const part : parts) {
      const double works_on = working(*part, parallelism, casting) * of_microbatch;
      if (activations + made + works_on > most) {
        most = activations + made + works_on;
        need.activations = rounded(activations);
        need.gradients = rounded(made + buckets);
        need.working = rounded(works_on + sent);
      }
      activations -= kept(*part, parallelism, casting) * of_microbatch;
      if (!gradients_exist && !views) made += gradient_of_parameter * share_of(*part, 2);
    }
  };
  const std::size_t ahead = divided ? passes_ahead(parallelism, stage) : 1;
  const std::size_t passes = parallelism.microbatches * own_ranges;
  go_back(kept_by(ahead), keeps_gradients_);
  // Before the second one, a stage with microbatches left does another forward pass.
  if (passes > 1) go_back(kept_by(passes > ahead ? ahead : ahead - 1), true);
  // In the optimizer's step all gradients exist, and new values of all parameters if it works on lists of them.
  const double update = (updates_in_lists_ ? 2 : 1) * gradients;
  if (update <= most) return need;
  need.activations = {};
  need.gradients = rounded(gradients + buckets);
  need.working = rounded(update - gradients);
  return need;
}

MemoryParts StepMemory::of(const Parallelism& parallelism, double samples, MemorySide side,
                           double activation_bytes) const {
  const std::vector<Range> ranges = ranges_of(parallelism);
  MemoryParts most;
  const std::size_t stages = ranges.size() > 1 ? parallelism.pipeline : 1;
  for (std::size_t stage = 0; stage < stages; ++stage) {
    const MemoryParts need = of_stage(parallelism, ranges, stage, samples, side, activation_bytes);
    if (need.total() > most.total()) most = need;
  }
  return most;
}

}  // namespace stepsim
