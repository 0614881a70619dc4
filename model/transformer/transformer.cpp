#include "model/transformer/transformer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace stepsim {
namespace {

/// GPT-2's vocabulary, padded to a multiple of 128 as Megatron-LM does.
constexpr std::uint32_t kGptVocabulary = 50'304;

/// BERT's vocabulary, padded to a multiple of 8 as NVIDIA's examples do.
constexpr std::uint32_t kBertVocabulary = 30'528;

constexpr std::array kFamilies{
    TransformerFamily{"gpt",
                      "LayerNorm, GELU, biases, learned positions (GPT-2, GPT-3, OPT)",
                      {.vocabulary = kGptVocabulary, .positions = 2048, .dropout = true}},
    TransformerFamily{"mpt",
                      "LayerNorm, GELU, no biases, learned positions (MosaicML's MPT)",
                      {.vocabulary = 50'368, .positions = 2048, .biases = false},
                      true},
    TransformerFamily{"llama",
                      "RMSNorm, SwiGLU, no biases, rotary positions (LLaMA, Mistral, Qwen)",
                      {.vocabulary = 32'000, .gated = true, .root_mean_square = true, .biases = false, .tied = false}},
    TransformerFamily{"mixtral",
                      "as llama, with 8 experts, of which each token passes 2",
                      {.vocabulary = 32'000,
                       .gated = true,
                       .root_mean_square = true,
                       .biases = false,
                       .tied = false,
                       .experts = 8,
                       .experts_of_token = 2}},
    TransformerFamily{
        "bert",
        "reads both ways and predicts masked tokens; norms after each part, LayerNorm, GELU, biases (BERT)",
        {.vocabulary = kBertVocabulary, .positions = 512, .segments = 2, .dropout = true, .masked = true}},
};

/// Other names of the families: model_type of Hugging Face's config.json.
struct OtherName {
  std::string_view name;
  std::string_view family;
};
constexpr auto kOtherNames = std::to_array<OtherName>({
    {"gpt2", "gpt"},
    {"gpt_neo", "gpt"},
    {"opt", "gpt"},
    {"megatron-gpt2", "gpt"},
    {"mistral", "llama"},
    {"qwen2", "llama"},
    {"qwen3", "llama"},
    {"qwen3_moe", "mixtral"},
    {"qwen3moe", "mixtral"},
    {"gptneo", "gpt"},
    {"roberta", "bert"},
});

/// More layers than this would make a trace that no memory holds.
constexpr std::uint32_t kMostLayers = 10'000;

double of(std::uint32_t number) noexcept { return number; }

/// Returns the weights of a layer that are used for each token, and of the router. `experts` feed-forward parts count.
double weights_of_layer(const Transformer& model, double experts) noexcept {
  const double head = of(model.head_size());
  const double attention = of(model.hidden) * (2 * of(model.heads) * head +
                                               2 * of(model.key_heads) * head);  // queries, result; keys, values
  const double forward = (model.gated ? 3 : 2) * of(model.hidden) * of(model.intermediate);
  return attention + std::max(1.0, experts) * forward + of(model.hidden) * of(model.experts);
}

}  // namespace

double Transformer::parameters() const noexcept {
  const double norm = (root_mean_square ? 1 : 2) * of(hidden);
  const double bias_of_attention = of(hidden) + (of(heads) + 2 * of(key_heads)) * of(head_size());
  const double bias_of_forward = experts > 0 ? 0 : of(hidden) + of(intermediate) * (gated ? 2 : 1);
  const double bias = biases ? bias_of_attention + bias_of_forward : 0;
  const double ends = of(vocabulary) * of(hidden) * (tied ? 1 : 2) + (of(positions) + of(segments)) * of(hidden) + norm;
  const double biases_of_head = biases ? of(hidden) + of(vocabulary) : 0;
  const double masked_head = masked ? of(hidden) * of(hidden) + norm + biases_of_head : 0;
  return of(layers) * (weights_of_layer(*this, of(experts)) + bias + 2 * norm) + ends + masked_head;
}

double Transformer::forward_flops(std::uint32_t sequence) const noexcept {
  const double tokens = sequence;
  const double weights = weights_of_layer(*this, of(experts_of_token));
  const double scores = 2 * tokens * of(heads) * of(head_size());  // two products of heads by `sequence` for each token
  const double outputs = of(vocabulary) + (masked ? of(hidden) : 0);
  return 2 * tokens * (of(layers) * (weights + scores) + outputs * of(hidden));
}

std::span<const TransformerFamily> transformer_families() noexcept { return kFamilies; }

const TransformerFamily* find_transformer_family(std::string_view name) noexcept {
  const auto* const other =
      std::find_if(kOtherNames.begin(), kOtherNames.end(), [name](const OtherName& one) { return one.name == name; });
  const std::string_view meant = other == kOtherNames.end() ? name : other->family;
  const auto* const found =
      std::find_if(kFamilies.begin(), kFamilies.end(), [meant](const auto& family) { return family.name == meant; });
  return found == kFamilies.end() ? nullptr : found;
}

std::optional<std::string> problem_of(const Transformer& model) {
  if (model.layers == 0) return "num_hidden_layers is missing";
  if (model.hidden == 0) return "hidden_size is missing";
  if (model.heads == 0) return "num_attention_heads is missing";
  if (model.layers > kMostLayers)
    return fmt::format("num_hidden_layers is {}; expected at most {}", model.layers, kMostLayers);
  if (model.head == 0 && model.hidden % model.heads != 0)
    return fmt::format("num_attention_heads is {}; expected a divisor of hidden_size, {}", model.heads, model.hidden);
  if (model.key_heads == 0 || model.heads % model.key_heads != 0) {
    return fmt::format("num_key_value_heads is {}; expected a divisor of num_attention_heads, {}", model.key_heads,
                       model.heads);
  }
  if (model.experts > 0 && (model.experts_of_token == 0 || model.experts_of_token > model.experts)) {
    return fmt::format("num_experts_per_tok is {}; expected a number from 1 to num_local_experts, {}",
                       model.experts_of_token, model.experts);
  }
  return std::nullopt;
}

}  // namespace stepsim
