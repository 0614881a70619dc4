// Compares parameters with the published numbers of real models, and operations with closed forms.
#include "model/transformer/transformer.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

namespace stepsim::transformer_test {
namespace {

Transformer usual(std::string_view family) { return find_transformer_family(family)->usual; }

/// Returns a model whose keys have as many heads as its queries.
Transformer sized(Transformer model, std::uint32_t layers, std::uint32_t hidden, std::uint32_t heads,
                  std::uint32_t intermediate) {
  model.layers = layers;
  model.hidden = hidden;
  model.heads = heads;
  model.key_heads = heads;
  model.intermediate = intermediate;
  return model;
}

Transformer gpt2(std::uint32_t layers, std::uint32_t hidden, std::uint32_t heads) {
  Transformer model = sized(usual("gpt"), layers, hidden, heads, 4 * hidden);
  model.vocabulary = 50'257;
  model.positions = 1024;
  return model;
}

Transformer with_key_heads(Transformer model, std::uint32_t key_heads) {
  model.key_heads = key_heads;
  return model;
}

// ---- parameters

TEST(TransformerTest, Gpt2HasItsPublishedParameters) {
  EXPECT_DOUBLE_EQ(gpt2(12, 768, 12).parameters(), 124'439'808) << "GPT-2 small";
  EXPECT_DOUBLE_EQ(gpt2(36, 1280, 20).parameters(), 774'030'080) << "GPT-2 large";
}

TEST(TransformerTest, LlamaHasItsPublishedParameters) {
  EXPECT_DOUBLE_EQ(sized(usual("llama"), 32, 4096, 32, 11'008).parameters(), 6'738'415'616) << "LLaMA 7B";
  EXPECT_DOUBLE_EQ(with_key_heads(sized(usual("llama"), 80, 8192, 64, 28'672), 8).parameters(), 68'976'648'192)
      << "LLaMA 2 70B, whose heads share keys";
}

TEST(TransformerTest, HeadsNeedNotDivideTheHiddenSize) {
  Transformer nemo = with_key_heads(sized(usual("llama"), 40, 5120, 32, 14'336), 8);
  nemo.head = 128;
  nemo.vocabulary = 131'072;
  EXPECT_DOUBLE_EQ(nemo.parameters(), 12'247'782'400) << "Mistral NeMo 12B";
  nemo.head = 0;
  EXPECT_EQ(nemo.head_size(), 160U);
}

TEST(TransformerTest, MixtralHasItsPublishedParameters) {
  EXPECT_DOUBLE_EQ(with_key_heads(sized(usual("mixtral"), 32, 4096, 32, 14'336), 8).parameters(), 46'702'792'704);
}

TEST(TransformerTest, BertHasItsPublishedParameters) {
  // Those of Hugging Face's BertForMaskedLM for bert-base-uncased and bert-large-uncased.
  Transformer base = sized(usual("bert"), 12, 768, 12, 4 * 768);
  base.vocabulary = 30'522;
  EXPECT_DOUBLE_EQ(base.parameters(), 109'514'298);
  Transformer large = sized(usual("bert"), 24, 1024, 16, 4 * 1024);
  large.vocabulary = 30'522;
  EXPECT_DOUBLE_EQ(large.parameters(), 335'174'458);
}

TEST(TransformerTest, TyingSavesOneWeightOfTheVocabulary) {
  Transformer model = gpt2(12, 768, 12);
  const double tied = model.parameters();
  model.tied = false;
  EXPECT_DOUBLE_EQ(model.parameters() - tied, 50'257.0 * 768);
}

TEST(TransformerTest, BiasesAreOneNumberPerColumnOfALinearLayer) {
  // The layers have 3 h columns (queries, keys, values), h (their result), 4 h and h.
  Transformer model = gpt2(12, 768, 12);
  const double with = model.parameters();
  model.biases = false;
  EXPECT_DOUBLE_EQ(with - model.parameters(), 12.0 * 9 * 768);
}

TEST(TransformerTest, LayerNormHasABiasThatRootMeanSquareLacks) {
  Transformer model = gpt2(12, 768, 12);
  const double with = model.parameters();
  model.root_mean_square = true;
  EXPECT_DOUBLE_EQ(with - model.parameters(), (2.0 * 12 + 1) * 768) << "two norms in each layer, and one after them";
}

TEST(TransformerTest, BiasesAreNotThoseOfExperts) {
  // A feed-forward part has 8 h^2 weights, and biases of 5 h only if it is the only one. The router has a column for
  // each expert.
  Transformer model = gpt2(1, 768, 12);
  const double dense = model.parameters();
  model.experts = 8;
  model.experts_of_token = 2;
  EXPECT_DOUBLE_EQ(model.parameters() - dense, 7 * 8.0 * 768 * 768 + 8.0 * 768 - 5 * 768);
}

// ---- operations

/// Operations of the forward pass of a GPT as Narayanan et al. count them, "Efficient Large-Scale Language Model
/// Training on GPU Clusters Using Megatron-LM", SC 2021, appendix: 24 b s h^2 + 4 b s^2 h for a layer, 2 b s h V for
/// the logits.
double megatron_flops(double layers, double hidden, double vocabulary, double sequence) {
  return layers * 24 * sequence * hidden * hidden * (1 + sequence / (6 * hidden)) + 2 * sequence * hidden * vocabulary;
}

TEST(TransformerTest, OperationsOfGptAreThoseOfMegatronsPaper) {
  EXPECT_DOUBLE_EQ(gpt2(12, 768, 12).forward_flops(1024), megatron_flops(12, 768, 50'257, 1024));
  Transformer gpt3 = sized(usual("gpt"), 96, 12'288, 96, 49'152);
  gpt3.vocabulary = 51'200;
  EXPECT_DOUBLE_EQ(gpt3.forward_flops(2048), megatron_flops(96, 12'288, 51'200, 2048));
}

TEST(TransformerTest, SharedKeysAndGatesChangeOnlyTheirWeights) {
  // 2 operations for each token and weight: queries and result h x h, keys and values h x h/8, three feed-forward
  // layers h x i. The scores still have all heads.
  constexpr double kHidden = 8192;
  constexpr double kInner = 28'672;
  constexpr double kTokens = 4096;
  const Transformer model = with_key_heads(sized(usual("llama"), 80, 8192, 64, 28'672), 8);
  const double weights = 2 * kHidden * kHidden + 2 * kHidden * kHidden / 8 + 3 * kHidden * kInner;
  const double layer = 2 * kTokens * weights + 4 * kTokens * kTokens * kHidden;
  EXPECT_DOUBLE_EQ(model.forward_flops(4096), 80 * layer + 2 * kTokens * kHidden * 32'000);
}

TEST(TransformerTest, ATokenPassesItsExpertsOnly) {
  Transformer model = sized(usual("mixtral"), 32, 4096, 32, 14'336);
  const double two = model.forward_flops(2048);
  model.experts_of_token = 3;
  EXPECT_DOUBLE_EQ(model.forward_flops(2048) - two, 32 * 2.0 * 2048 * (3.0 * 4096 * 14'336));
  model.experts = 16;
  EXPECT_DOUBLE_EQ(model.forward_flops(2048) - two, 32 * 2.0 * 2048 * (3.0 * 4096 * 14'336 + 8.0 * 4096))
      << "more experts only widen the router";
}

// ---- families

TEST(TransformerTest, EachFamilyIsFoundByItsNameAndByThoseOfConfigurations) {
  std::set<std::string_view> names;
  for (const TransformerFamily& family : transformer_families()) {
    EXPECT_EQ(find_transformer_family(family.name), &family);
    EXPECT_FALSE(family.summary.empty());
    EXPECT_TRUE(names.insert(family.name).second) << family.name;
  }
  EXPECT_EQ(transformer_families().front().name, "gpt");
  for (const std::string_view name : {"gpt2", "gpt_neo", "opt", "megatron-gpt2"})
    EXPECT_EQ(find_transformer_family(name), find_transformer_family("gpt")) << name;
  for (const std::string_view name : {"mistral", "qwen2", "qwen3"})
    EXPECT_EQ(find_transformer_family(name), find_transformer_family("llama")) << name;
  EXPECT_EQ(find_transformer_family("roberta"), find_transformer_family("bert"));
  EXPECT_EQ(find_transformer_family("t5"), nullptr);
  EXPECT_EQ(find_transformer_family(""), nullptr);
}

TEST(TransformerTest, FamiliesLeaveTheSizesOfLayersOpen) {
  for (const TransformerFamily& family : transformer_families()) {
    EXPECT_EQ(problem_of(family.usual), "num_hidden_layers is missing") << family.name;
    EXPECT_GT(family.usual.vocabulary, 0U) << family.name;
    EXPECT_EQ(problem_of(sized(family.usual, 2, 64, 4, 256)), std::nullopt) << family.name;
  }
}

// ---- problems

TEST(TransformerTest, WhatIsMissingIsNamed) {
  Transformer model;
  EXPECT_EQ(problem_of(model), "num_hidden_layers is missing");
  model.layers = 2;
  EXPECT_EQ(problem_of(model), "hidden_size is missing");
  model.hidden = 64;
  EXPECT_EQ(problem_of(model), "num_attention_heads is missing");
}

TEST(TransformerTest, HeadsDivideWhatTheyShare) {
  Transformer model = gpt2(2, 1000, 12);
  EXPECT_EQ(problem_of(model), "num_attention_heads is 12; expected a divisor of hidden_size, 1000");
  model = gpt2(2, 1024, 16);
  EXPECT_EQ(problem_of(model), std::nullopt);
  EXPECT_EQ(problem_of(with_key_heads(model, 0)),
            "num_key_value_heads is 0; expected a divisor of num_attention_heads, 16");
  EXPECT_EQ(problem_of(with_key_heads(model, 6)),
            "num_key_value_heads is 6; expected a divisor of num_attention_heads, 16");
  EXPECT_EQ(problem_of(with_key_heads(model, 32)),
            "num_key_value_heads is 32; expected a divisor of num_attention_heads, 16");
  EXPECT_EQ(problem_of(with_key_heads(model, 1)), std::nullopt);
}

TEST(TransformerTest, ATokenPassesAtLeastOneExpertAndAtMostAll) {
  Transformer model = gpt2(2, 1024, 16);
  model.experts = 8;
  EXPECT_EQ(problem_of(model), "num_experts_per_tok is 0; expected a number from 1 to num_local_experts, 8");
  model.experts_of_token = 9;
  EXPECT_EQ(problem_of(model), "num_experts_per_tok is 9; expected a number from 1 to num_local_experts, 8");
  model.experts_of_token = 8;
  EXPECT_EQ(problem_of(model), std::nullopt);
  model.experts = 0;
  EXPECT_EQ(problem_of(model), std::nullopt) << "without experts their number for each token does not matter";
}

}  // namespace
}  // namespace stepsim::transformer_test
