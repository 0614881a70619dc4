// The operators of a layer, as PyTorch runs them for GPT-2, LLaMA, BERT and Megatron-LM's layers without fusion, and
// those of its backward pass. The work of an operator follows from its shapes (work_of(), model/job/operator_work.h),
// and its time from the work (roofline_time() of device_work_of(), model/cost/device), except for passes that write
// another type than they read, or several results.
#include "model/transformer/transformer_step.h"

#include <algorithm>
#include <array>
#include <optional>

#include "model/cost/device/device_work.h"
#include "model/cost/device/roofline.h"

namespace stepsim {
namespace {

using Sizes = std::vector<std::int64_t>;

/// Share of the rate of other products that those with an unpadded vocabulary reach (is_unpadded()). Fitted to steps of
/// GPT with 50,257 entries on A100 (docs/internals/fidelity.md). A step of nanoGPT on A100 is then 14 % shorter with
/// 50,304 entries; its author measured about 25 % (A. Karpathy, 2023).
constexpr double kUnpaddedShare = 0.45;

/// Kernels by the class of their work; the names are those that classify_kernel() knows.
constexpr std::string_view kGemmKernel = "gemm";
constexpr std::string_view kPassKernel = "elementwise_kernel";
constexpr std::string_view kNormKernel = "layer_norm_kernel";
constexpr std::string_view kSoftmaxKernel = "softmax_kernel";
constexpr std::string_view kLookupKernel = "index_select_kernel";
constexpr std::string_view kScatterKernel = "embedding_backward_kernel";
constexpr std::string_view kFlashKernel = "flash_attention_kernel";
constexpr std::string_view kUpdateKernel = "multi_tensor_adam_kernel";

std::int64_t size(std::uint32_t number) noexcept { return number; }

double elements(const Sizes& sizes) {
  double count = 1;
  for (const std::int64_t one : sizes) count *= static_cast<double>(one);
  return count;
}

/// Returns the part of a model that each of several tensor-parallel ranks has.
Transformer of_rank(Transformer model, std::uint32_t ranks) {
  for (std::uint32_t Transformer::*const size :
       {&Transformer::heads, &Transformer::key_heads, &Transformer::intermediate, &Transformer::vocabulary})
    model.*size = std::max(1U, model.*size / ranks);
  return model;
}

/// The type of a tensor's elements.
enum class Holds : std::uint8_t {
  kNumbers,      ///< of the run's type
  kFullNumbers,  ///< floats of 32 bits, whatever the type of the run
  kIndices,
};

/// A tensor of the step.
struct Tensor {
  Sizes sizes;
  Holds holds = Holds::kNumbers;
};

class Step {
 public:
  Step(const Transformer& model, const TransformerRun& run)
      : model_(of_rank(model, run.tensor)),
        run_(run),
        hidden_(size(model.hidden)),
        tokens_(size(run.samples) * run.sequence),
        head_(model.head_size()),
        attended_(size(model_.heads) * head_) {}

  std::vector<TransformerCall> make() && {
    forward();
    pass_ = Pass::kBackward;
    backward();
    pass_ = Pass::kUpdate;
    update();
    return std::move(calls_);
  }

 private:
  [[nodiscard]] Sizes whole() const { return {run_.samples, run_.sequence, hidden_}; }
  [[nodiscard]] Sizes attended() const { return {run_.samples, run_.sequence, attended_}; }
  [[nodiscard]] Sizes inner() const { return {run_.samples, run_.sequence, model_.intermediate}; }
  [[nodiscard]] Sizes scores() const { return {run_.samples, model_.heads, run_.sequence, run_.sequence}; }
  [[nodiscard]] Sizes logits() const { return {tokens_, model_.vocabulary}; }
  // PyTorch's function has heads before tokens, the library's own has them after tokens.
  [[nodiscard]] Sizes per_head(std::uint32_t heads) const {
    if (early()) return {run_.samples, run_.sequence, heads, head_};
    return {run_.samples, heads, run_.sequence, head_};
  }
  // Operands of the batched products of attention.
  [[nodiscard]] Sizes queries() const { return {size(run_.samples) * model_.heads, run_.sequence, head_}; }
  [[nodiscard]] Sizes keys() const { return {size(run_.samples) * model_.heads, head_, run_.sequence}; }
  [[nodiscard]] Sizes weights() const { return {size(run_.samples) * model_.heads, run_.sequence, run_.sequence}; }
  /// Columns of the layer that computes queries, keys and values.
  [[nodiscard]] std::int64_t mixed() const { return attended_ + 2 * size(model_.key_heads) * head_; }

  [[nodiscard]] bool early() const { return run_.flash && run_.early; }
  [[nodiscard]] double type_bytes() const { return run_.precision == Precision::kFloat32 ? 4 : 2; }

  // ---- calls

  [[nodiscard]] TensorShape shape_of(const Tensor& tensor) const {
    if (tensor.holds == Holds::kIndices) return {tensor.sizes, 8, Precision::kFloat32, ElementKind::kOther};
    const bool full = tensor.holds == Holds::kFullNumbers || run_.precision == Precision::kFloat32;
    return {tensor.sizes, full ? 4 : 2, full ? Precision::kFloat32 : Precision::kFloat16, ElementKind::kFloat};
  }

  /// Adds a call. If `moved` is given, its kernel is one pass over as many bytes.
  void call(std::string_view name, const std::vector<Tensor>& inputs, std::string_view kernel, std::string_view node,
            std::optional<double> moved = std::nullopt) {
    TransformerCall made{
        .name = name, .pass = pass_, .node = pass_ == Pass::kBackward ? node : "", .kernel = kernel, .part = part_};
    for (const Tensor& input : inputs) made.inputs.push_back(shape_of(input));
    made.nanoseconds = time_of(made, moved);
    calls_.push_back(std::move(made));
  }

  [[nodiscard]] double time_of(const TransformerCall& call, std::optional<double> moved) const {
    OperatorTable::Operator op{std::string(call.name), "", {}, call.inputs};
    op.work = work_of({.name = call.name, .inputs = call.inputs, .stride = {}, .padding = {}, .dilation = {}});
    if (moved) op.work.bytes = *moved;
    if (call.kernel == kGemmKernel && has_vocabulary(call) && is_unpadded(model_, run_))
      op.work.flops /= kUnpaddedShare;
    return roofline_time(
        device_work_of(op, classify_kernel(call.kernel), early() ? StepRate::kEarly : StepRate::kUsual), *run_.device);
  }

  [[nodiscard]] bool has_vocabulary(const TransformerCall& call) const {
    return call.part > model_.layers &&
           std::any_of(call.inputs.begin(), call.inputs.end(), [this](const TensorShape& shape) {
             return std::find(shape.sizes.begin(), shape.sizes.end(), size(model_.vocabulary)) != shape.sizes.end();
           });
  }

  void pass(std::string_view name, const std::vector<Tensor>& inputs, std::string_view node = {}) {
    call(name, inputs, kPassKernel, node);
  }

  void norm() {
    const bool root = model_.root_mean_square;
    std::vector<Tensor> inputs{{whole()}, {{hidden_}}};
    if (!root) inputs.push_back({{hidden_}});
    call(root ? "aten::_fused_rms_norm" : "aten::native_layer_norm", inputs, kNormKernel, {});
  }

  void norm_backward() {
    const bool root = model_.root_mean_square;
    call(root ? "aten::_fused_rms_norm_backward" : "aten::native_layer_norm_backward", {{whole()}, {whole()}},
         kNormKernel, root ? "FusedRmsNormBackward0" : "NativeLayerNormBackward0");
    accumulate({hidden_});
    if (!root) accumulate({hidden_});
  }

  void linear(std::int64_t from, std::int64_t to) { linear(from, to, model_.biases); }
  void linear(std::int64_t from, std::int64_t to, bool bias) {
    if (bias) {
      call("aten::addmm", {{{to}}, {{tokens_, from}}, {{from, to}}}, kGemmKernel, {});
    } else {
      call("aten::mm", {{{tokens_, from}}, {{from, to}}}, kGemmKernel, {});
    }
  }

  void linear_backward(std::int64_t from, std::int64_t to) { linear_backward(from, to, model_.biases); }
  void linear_backward(std::int64_t from, std::int64_t to, bool bias) {
    const std::string_view node = bias ? "AddmmBackward0" : "MmBackward0";
    call("aten::mm", {{{tokens_, to}}, {{to, from}}}, kGemmKernel, node);
    call("aten::mm", {{{to, tokens_}}, {{tokens_, from}}}, kGemmKernel, node);
    if (bias) {
      call("aten::sum", {{{tokens_, to}}}, kPassKernel, node, type_bytes() * static_cast<double>(tokens_ * to));
      accumulate({to});
    }
    accumulate({to, from});
  }

  void batched(const Sizes& a, const Sizes& b) { call("aten::bmm", {{a}, {b}}, kGemmKernel, "BmmBackward0"); }

  /// Adds a gradient to the sum of those of earlier microbatches.
  void accumulate(const Sizes& sizes) { pass("aten::add_", {{sizes}, {sizes}}, kAccumulation); }

  void drop_out(const Sizes& sizes) {
    if (model_.dropout) pass("aten::native_dropout", {{sizes}});
  }
  void drop_out_backward(const Sizes& sizes) {
    if (model_.dropout) pass("aten::native_dropout_backward", {{sizes}}, "NativeDropoutBackward0");
  }

  // ---- forward

  /// What a training loop does before the first layer: tokens and labels are copied to the device and apart, positions
  /// and a mask of the loss are made, and a mask of attention if it is not one kernel (Megatron-LM's get_batch()).
  void batch() {
    const Sizes tokens{run_.samples, run_.sequence};
    pass("aten::copy_", {{tokens, Holds::kIndices}});
    pass("aten::clone", {{tokens, Holds::kIndices}});
    pass("aten::clone", {{tokens, Holds::kIndices}});
    pass("aten::ones_like", {{tokens, Holds::kFullNumbers}});
    if (model_.positions > 0) pass("aten::arange", {{{1, run_.sequence}, Holds::kIndices}});
    if (run_.flash || model_.masked) return;
    const Sizes mask{run_.sequence, run_.sequence};
    pass("aten::ones_like", {{mask, Holds::kFullNumbers}});
    pass("aten::tril", {{mask, Holds::kFullNumbers}});
    pass("aten::lt", {{mask, Holds::kFullNumbers}});
  }

  void forward() {
    batch();
    call("aten::embedding", {{{model_.vocabulary, hidden_}}, {{run_.samples, run_.sequence}, Holds::kIndices}},
         kLookupKernel, {});
    if (model_.positions > 0) {
      call("aten::embedding", {{{model_.positions, hidden_}}, {{1, run_.sequence}, Holds::kIndices}}, kLookupKernel,
           {});
      pass("aten::add", {{whole()}, {whole()}});
    }
    if (model_.segments > 0) {
      call("aten::embedding", {{{model_.segments, hidden_}}, {{run_.samples, run_.sequence}, Holds::kIndices}},
           kLookupKernel, {});
      pass("aten::add", {{whole()}, {whole()}});
    }
    if (model_.masked) {
      norm();
      drop_out(whole());
    }
    for (part_ = 1; part_ <= model_.layers; ++part_) {
      if (!model_.masked) norm();
      attention();
      drop_out(whole());
      pass("aten::add", {{whole()}, {whole()}});
      norm();
      feed_forward();
      drop_out(whole());
      pass("aten::add", {{whole()}, {whole()}});
      if (model_.masked) norm();
    }
    if (model_.masked) {
      linear(hidden_, hidden_);
      pass("aten::gelu", {{whole()}});
    }
    norm();
    linear(hidden_, model_.vocabulary, model_.masked && model_.biases);
    loss();
  }

  void attention() {
    linear(hidden_, mixed());
    if (model_.positions == 0) pass("aten::mul", {{{run_.samples, run_.sequence, mixed()}}});  // rotates by position
    if (run_.flash) {
      call(early() ? "FlashAttnFunc" : "aten::_scaled_dot_product_flash_attention",
           {{per_head(model_.heads)}, {per_head(model_.key_heads)}, {per_head(model_.key_heads)}}, kFlashKernel, {});
    } else {
      pass("aten::copy_", {{{run_.samples, run_.sequence, mixed()}}});
      batched(queries(), keys());
      if (model_.masked) pass("aten::add", {{scores()}, {{run_.samples, 1, 1, run_.sequence}}});  // hides the padding
      call("aten::_softmax", {{scores()}}, kSoftmaxKernel, {});
      drop_out(scores());
      batched(weights(), queries());
      pass("aten::copy_", {{attended()}});
    }
    linear(attended_, hidden_);
  }

  void feed_forward() {
    if (model_.experts > 0) {
      experts_forward();
    } else if (model_.gated) {
      linear(hidden_, 2 * size(model_.intermediate));
      pass("aten::silu", {{inner()}});
      pass("aten::mul", {{inner()}, {inner()}});
      linear(model_.intermediate, hidden_);
    } else {
      linear(hidden_, model_.intermediate);
      pass("aten::gelu", {{inner()}});
      linear(model_.intermediate, hidden_);
    }
  }

  // Tokens are sorted by expert, and one batched product does the layer of all experts.
  [[nodiscard]] std::int64_t rows_of_expert() const {
    return (tokens_ * model_.experts_of_token + model_.experts - 1) / model_.experts;
  }
  [[nodiscard]] Sizes of_experts(std::int64_t columns) const { return {model_.experts, rows_of_expert(), columns}; }
  [[nodiscard]] Sizes expert_weight(std::int64_t from, std::int64_t to) const { return {model_.experts, from, to}; }
  [[nodiscard]] std::int64_t expert_width() const { return (model_.gated ? 2 : 1) * size(model_.intermediate); }

  void experts_forward() {
    call("aten::mm", {{{tokens_, hidden_}}, {{hidden_, model_.experts}}}, kGemmKernel, {});
    call("aten::topk", {{{tokens_, model_.experts}}}, kPassKernel, {});
    call("aten::index_select", {{{tokens_, hidden_}}, {{rows_of_expert() * model_.experts}, Holds::kIndices}},
         kLookupKernel, {});
    batched(of_experts(hidden_), expert_weight(hidden_, expert_width()));
    pass("aten::silu", {{of_experts(model_.intermediate)}});
    if (model_.gated) pass("aten::mul", {{of_experts(model_.intermediate)}, {of_experts(model_.intermediate)}});
    batched(of_experts(model_.intermediate), expert_weight(model_.intermediate, hidden_));
    pass("aten::index_add", {{whole()}, {of_experts(hidden_)}});
  }

  void loss() {
    const double count = elements(logits());
    if (run_.precision != Precision::kFloat32)
      call("aten::_to_copy", {{logits()}}, kPassKernel, {}, (type_bytes() + 4) * count);
    if (!model_.masked)
      pass("aten::copy_", {{logits(), Holds::kFullNumbers}});  // without the last token of each sample
    // Reads the logits for the largest, for the sum, and for the result.
    call("aten::_log_softmax", {{logits(), Holds::kFullNumbers}}, kSoftmaxKernel, {}, 16 * count);
    call("aten::nll_loss_forward", {{{tokens_}, Holds::kFullNumbers}}, kPassKernel, {});
    // The mean over the tokens that count, its copy for the log, and its scale.
    const Tensor of_tokens{{tokens_}, Holds::kFullNumbers};
    const Tensor mean{{1}, Holds::kFullNumbers};
    pass("aten::mul", {of_tokens, of_tokens});
    pass("aten::sum", {of_tokens});
    pass("aten::sum", {of_tokens});
    pass("aten::div", {mean, mean});
    pass("aten::clone", {mean});
    pass("aten::div", {mean});
    pass("aten::mul", {mean});
  }

  // ---- backward

  void backward() {
    loss_backward();
    linear_backward(hidden_, model_.vocabulary, model_.masked && model_.biases);
    norm_backward();
    if (model_.masked) {
      pass("aten::gelu_backward", {{whole()}, {whole()}}, "GeluBackward0");
      linear_backward(hidden_, hidden_);
    }
    for (part_ = model_.layers; part_ > 0; --part_) {
      if (model_.masked) norm_backward();
      drop_out_backward(whole());
      feed_forward_backward();
      norm_backward();
      pass("aten::add", {{whole()}, {whole()}}, "AddBackward0");
      drop_out_backward(whole());
      attention_backward();
      if (!model_.masked) norm_backward();
      pass("aten::add", {{whole()}, {whole()}}, "AddBackward0");
    }
    if (model_.masked) {
      drop_out_backward(whole());
      norm_backward();
    }
    call("aten::embedding_dense_backward", {{whole()}}, kScatterKernel, "EmbeddingBackward0");
    if (!model_.tied) accumulate({model_.vocabulary, hidden_});
    if (model_.positions > 0) {
      call("aten::embedding_dense_backward", {{whole()}}, kScatterKernel, "EmbeddingBackward0");
      accumulate({model_.positions, hidden_});
    }
    if (model_.segments > 0) {
      call("aten::embedding_dense_backward", {{whole()}}, kScatterKernel, "EmbeddingBackward0");
      accumulate({model_.segments, hidden_});
    }
  }

  void loss_backward() {
    const double count = elements(logits());
    const Tensor of_tokens{{tokens_}, Holds::kFullNumbers};
    const Tensor mean{{1}, Holds::kFullNumbers};
    pass("aten::mul", {mean}, "MulBackward0");
    pass("aten::div", {mean, mean}, "DivBackward0");
    pass("aten::mul", {of_tokens, of_tokens}, "MulBackward0");
    call("aten::nll_loss_backward", {{logits(), Holds::kFullNumbers}}, kPassKernel, "NllLossBackward0", 4 * count);
    call("aten::_log_softmax_backward_data", {{logits(), Holds::kFullNumbers}, {logits(), Holds::kFullNumbers}},
         kSoftmaxKernel, "LogSoftmaxBackward0");
    if (!model_.masked)
      call("aten::slice_backward", {{logits(), Holds::kFullNumbers}}, kPassKernel, "SliceBackward0", 12 * count);
    if (run_.precision != Precision::kFloat32) {
      call("aten::_to_copy", {{logits(), Holds::kFullNumbers}}, kPassKernel, "ToCopyBackward0",
           (type_bytes() + 4) * count);
    }
  }

  void attention_backward() {
    linear_backward(attended_, hidden_);
    if (run_.flash) {
      call(early() ? "FlashAttnFuncBackward" : "aten::_scaled_dot_product_flash_attention_backward",
           {{per_head(model_.heads)},
            {per_head(model_.heads)},
            {per_head(model_.key_heads)},
            {per_head(model_.key_heads)}},
           kFlashKernel, early() ? "FlashAttnFuncBackward" : "ScaledDotProductFlashAttentionBackward0");
    } else {
      pass("aten::copy_", {{attended()}}, "CopyBackwards");
      batched(weights(), queries());
      batched(queries(), keys());
      drop_out_backward(scores());
      call("aten::_softmax_backward_data", {{scores()}, {scores()}}, kSoftmaxKernel, "SoftmaxBackward0");
      batched(keys(), weights());
      batched(weights(), queries());
      pass("aten::copy_", {{{run_.samples, run_.sequence, mixed()}}}, "CopyBackwards");
    }
    if (model_.positions == 0) pass("aten::mul", {{{run_.samples, run_.sequence, mixed()}}}, "MulBackward0");
    linear_backward(hidden_, mixed());
  }

  void feed_forward_backward() {
    if (model_.experts > 0) {
      experts_backward();
      return;
    }
    linear_backward(model_.intermediate, hidden_);
    if (model_.gated) {
      pass("aten::mul", {{inner()}, {inner()}, {inner()}}, "MulBackward0");
      pass("aten::silu_backward", {{inner()}, {inner()}}, "SiluBackward0");
      linear_backward(hidden_, 2 * size(model_.intermediate));
    } else {
      pass("aten::gelu_backward", {{inner()}, {inner()}}, "GeluBackward0");
      linear_backward(hidden_, model_.intermediate);
    }
  }

  void experts_layer_backward(std::int64_t from, std::int64_t to) {
    batched(of_experts(to), expert_weight(to, from));
    batched({model_.experts, from, rows_of_expert()}, of_experts(to));
    accumulate(expert_weight(from, to));
  }

  void experts_backward() {
    const Sizes middle = of_experts(model_.intermediate);
    call("aten::index_select", {{{tokens_, hidden_}}, {{rows_of_expert() * model_.experts}, Holds::kIndices}},
         kLookupKernel, "IndexAddBackward0");
    experts_layer_backward(model_.intermediate, hidden_);
    if (model_.gated) pass("aten::mul", {{middle}, {middle}, {middle}}, "MulBackward0");
    pass("aten::silu_backward", {{middle}, {middle}}, "SiluBackward0");
    experts_layer_backward(hidden_, expert_width());
    pass("aten::index_add", {{whole()}, {of_experts(hidden_)}}, "IndexSelectBackward0");
    call("aten::mm", {{{tokens_, model_.experts}}, {{model_.experts, hidden_}}}, kGemmKernel, "MmBackward0");
    call("aten::mm", {{{model_.experts, tokens_}}, {{tokens_, hidden_}}}, kGemmKernel, "MmBackward0");
    accumulate({model_.experts, hidden_});
  }

  // ---- update

  /// Updates each part's parameters by one call, as a fused Adam does: it reads the gradients, reads and writes weights
  /// and two moments in fp32, and writes weights of 16 bits. With a scaled loss, a second call does what the other
  /// passes of Megatron-LM's Float16OptimizerWithFloat16Params do: they copy gradients to 32 bits (6 bytes per
  /// parameter), unscale (8), clip (12) and clear them (2), and copy weights to 16 bits (6).
  void update() {
    std::vector<double> parameters(model_.layers + 2);
    for (const TransformerCall& call : calls_) {
      if (call.node != kAccumulation) continue;
      parameters[call.part] += elements(call.inputs.front().sizes);
    }
    const double bytes = 6 * 4 + type_bytes() + (run_.precision == Precision::kFloat32 ? 0 : 2);
    constexpr double kPassesOfScaledLoss = 6 + 8 + 12 + 2 + 6;
    for (part_ = 0; part_ < parameters.size(); ++part_) {
      if (parameters[part_] == 0) continue;
      const auto count = static_cast<std::int64_t>(parameters[part_]);
      const Sizes sizes = count % hidden_ == 0 ? Sizes{count / hidden_, hidden_} : Sizes{count};
      const std::vector<Tensor> inputs{
          {sizes, Holds::kFullNumbers}, {sizes}, {sizes, Holds::kFullNumbers}, {sizes, Holds::kFullNumbers}};
      call("aten::_fused_adamw_", inputs, kUpdateKernel, {}, bytes * parameters[part_]);
      if (run_.scaled_loss)
        call("aten::_fused_adamw_", inputs, kUpdateKernel, {}, kPassesOfScaledLoss * parameters[part_]);
    }
  }

  Transformer model_;  // the part of one tensor-parallel rank
  const TransformerRun& run_;
  std::int64_t hidden_;
  std::int64_t tokens_;
  std::int64_t head_;
  std::int64_t attended_;  // size of a token's vector within attention
  Pass pass_ = Pass::kForward;
  std::uint32_t part_ = 0;
  std::vector<TransformerCall> calls_;
};

double PartTimes::*member_of(Pass pass) noexcept {
  switch (pass) {
    case Pass::kForward: return &PartTimes::forward;
    case Pass::kBackward: return &PartTimes::backward;
    case Pass::kUpdate: break;
  }
  return &PartTimes::update;
}

}  // namespace

bool is_unpadded(const Transformer& model, const TransformerRun& run) noexcept {
  constexpr std::uint32_t kRowBytes = 16;
  return run.precision != Precision::kFloat32 && model.vocabulary % (kRowBytes / 2) != 0;
}

std::vector<TransformerCall> transformer_calls(const Transformer& model, const TransformerRun& run) {
  return Step(model, run).make();
}

void apply_measured(std::span<const PartTimes> measured, std::vector<TransformerCall>& calls) {
  std::vector<PartTimes> modelled(measured.size());
  for (const TransformerCall& call : calls) modelled[call.part].*member_of(call.pass) += call.nanoseconds;
  std::vector<PartTimes> times(measured.begin(), measured.end());
  for (double PartTimes::*const time : {&PartTimes::forward, &PartTimes::backward, &PartTimes::update}) {
    for (std::size_t part = 0; part + 1 < times.size(); ++part) {
      if (modelled[part].*time == 0) times.back().*time += times[part].*time;
    }
  }
  for (TransformerCall& call : calls) {
    double PartTimes::*const time = member_of(call.pass);
    call.nanoseconds *= times[call.part].*time / (modelled[call.part].*time);
  }
}

}  // namespace stepsim
