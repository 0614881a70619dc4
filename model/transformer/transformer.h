#ifndef STEPSIM_MODEL_TRANSFORMER_TRANSFORMER_H
#define STEPSIM_MODEL_TRANSFORMER_TRANSFORMER_H

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "model/base/units.h"
#include "model/cost/device/accelerator.h"
#include "model/job/kernel_class.h"

namespace stepsim {

/// A transformer that predicts the next token or masked ones, by its configuration. Members have the names of Hugging
/// Face's config.json, shortened.
struct Transformer {
  std::uint32_t layers = 0;
  std::uint32_t hidden = 0;        ///< size of a token's vector between the layers
  std::uint32_t heads = 0;         ///< heads of the queries
  std::uint32_t key_heads = 0;     ///< heads of the keys and of the values; divides `heads`
  std::uint32_t head = 0;          ///< size of a head; 0 = hidden / heads
  std::uint32_t intermediate = 0;  ///< size of a token's vector within the feed-forward part
  std::uint32_t vocabulary = 0;
  std::uint32_t positions = 0;    ///< learned positions; 0 if rotary embeddings tell queries and keys where they are
  std::uint32_t segments = 0;     ///< kinds of sentences, each with a learned vector that is added to its tokens
  bool gated = false;             ///< the feed-forward part multiplies two layers (SwiGLU) in place of one with GELU
  bool root_mean_square = false;  ///< norms are RMSNorm; else LayerNorm
  bool biases = true;             ///< linear layers have biases, except for those of experts
  bool dropout = false;           ///< weights of attention and what layers add are dropped out
  bool tied = true;               ///< the layer to the vocabulary has the weight of the lookup
  /// Predicts masked tokens (BERT): norms follow the embeddings and what layers add, instead of preceding each part,
  /// and a linear layer, GELU and a norm precede the layer to the vocabulary, which has a bias.
  bool masked = false;
  std::uint32_t window = 0;            ///< tokens that a token may attend to; 0 = all before it
  std::uint32_t experts = 0;           ///< feed-forward parts among which a router chooses; 0 = one and no router
  std::uint32_t experts_of_token = 0;  ///< experts that each token passes

  [[nodiscard]] std::uint32_t head_size() const noexcept { return head > 0 ? head : hidden / heads; }
  /// Returns the number of parameters. O(1).
  [[nodiscard]] double parameters() const noexcept;
  /// Returns the operations of the products in the forward pass of one sequence, with whole attention. O(1).
  [[nodiscard]] double forward_flops(std::uint32_t sequence) const noexcept;
};

/// A family of models: what a name such as "llama" says about a configuration that does not say it.
struct TransformerFamily {
  std::string_view name;
  std::string_view summary;  ///< one line for people
  Transformer usual;         ///< sizes are 0 where a configuration must have them
  bool early = false;        ///< its steps run with the libraries of 2022 and 2023 (TransformerRun::early)
};

/// Returns all families. The first is used where a configuration names none.
[[nodiscard]] std::span<const TransformerFamily> transformer_families() noexcept;

/// Returns the family that a name means ("gpt", or "opt" as the model_type of a config.json), or null.
[[nodiscard]] const TransformerFamily* find_transformer_family(std::string_view name) noexcept;

/// Returns what is wrong with a configuration, as the end of a sentence that begins with a key of config.json, or
/// nothing: "num_attention_heads is 12; expected a divisor of hidden_size, 1000".
[[nodiscard]] std::optional<std::string> problem_of(const Transformer& model);

}  // namespace stepsim

#endif
