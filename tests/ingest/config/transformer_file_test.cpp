// Configurations have the keys of published ones, with fewer layers where that says nothing else.
#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/config/config.h"
#include "model/base/error.h"
#include "tests/sim/temporary_folder.h"
#include "tests/thrown_by.h"

namespace stepsim::ingest::transformer_file_test {
namespace {

using stepsim::testing::TemporaryFolder;
using stepsim::testing::thrown_by;

Transformer model_in(std::string_view text) { return parse_transformer(text, "config.json").model; }

std::string problem_in(std::string_view text) {
  return thrown_by<InputError>([&] { return parse_transformer(text, "config.json"); });
}

// ---- configurations

TEST(TransformerFileTest, Gpt2) {
  const Transformer model = model_in(R"({
    "activation_function": "gelu_new", "architectures": ["GPT2LMHeadModel"], "attn_pdrop": 0.1, "embd_pdrop": 0.1,
    "model_type": "gpt2", "n_ctx": 1024, "n_embd": 768, "n_head": 12, "n_inner": null, "n_layer": 12,
    "n_positions": 1024, "resid_pdrop": 0.1, "summary_first_dropout": 0.1, "vocab_size": 50257})");
  EXPECT_EQ(model.layers, 12U);
  EXPECT_EQ(model.hidden, 768U);
  EXPECT_EQ(model.heads, 12U);
  EXPECT_EQ(model.key_heads, 0U) << "as many as heads, for the caller to say";
  EXPECT_EQ(model.intermediate, 0U) << "null: 4 x hidden, for the caller to say";
  EXPECT_EQ(model.vocabulary, 50'257U);
  EXPECT_EQ(model.positions, 1024U);
  EXPECT_TRUE(model.dropout);
  EXPECT_TRUE(model.biases);
  EXPECT_TRUE(model.tied);
  EXPECT_FALSE(model.gated);
  EXPECT_FALSE(model.root_mean_square);
  EXPECT_EQ(model.experts, 0U);
}

TEST(TransformerFileTest, Opt) {
  const Transformer model = model_in(R"({
    "model_type": "opt", "activation_function": "relu", "attention_dropout": 0.0, "dropout": 0.1, "ffn_dim": 3072,
    "hidden_size": 768, "max_position_embeddings": 2048, "num_attention_heads": 12, "num_hidden_layers": 12,
    "vocab_size": 50272, "word_embed_proj_dim": 768})");
  EXPECT_EQ(model.layers, 12U);
  EXPECT_EQ(model.intermediate, 3072U);
  EXPECT_EQ(model.positions, 2048U);
  EXPECT_EQ(model.vocabulary, 50'272U);
  EXPECT_TRUE(model.dropout) << "what layers add is dropped out, although weights of attention are not";
}

TEST(TransformerFileTest, GptNeo) {
  const Transformer model = model_in(R"({
    "model_type": "gpt_neo", "attention_dropout": 0, "embed_dropout": 0, "hidden_size": 2048,
    "intermediate_size": null, "max_position_embeddings": 2048, "num_heads": 16, "num_layers": 24,
    "resid_dropout": 0, "vocab_size": 50257})");
  EXPECT_EQ(model.layers, 24U);
  EXPECT_EQ(model.hidden, 2048U);
  EXPECT_EQ(model.heads, 16U);
  EXPECT_FALSE(model.dropout);
}

TEST(TransformerFileTest, Llama) {
  const Transformer model = model_in(R"({
    "model_type": "llama", "attention_dropout": 0.0, "hidden_act": "silu", "hidden_size": 8192,
    "intermediate_size": 28672, "max_position_embeddings": 4096, "num_attention_heads": 64, "num_hidden_layers": 80,
    "num_key_value_heads": 8, "rope_scaling": null, "tie_word_embeddings": false, "vocab_size": 32000})");
  EXPECT_DOUBLE_EQ(model.parameters(), 68'976'648'192) << "LLaMA 2 70B";
  EXPECT_EQ(model.positions, 0U) << "rotary, so max_position_embeddings says nothing about a step";
  EXPECT_TRUE(model.gated);
  EXPECT_TRUE(model.root_mean_square);
  EXPECT_FALSE(model.biases);
  EXPECT_FALSE(model.tied);
  EXPECT_FALSE(model.dropout);
}

TEST(TransformerFileTest, Mixtral) {
  const Transformer model = model_in(R"({
    "model_type": "mixtral", "hidden_size": 4096, "intermediate_size": 14336, "max_position_embeddings": 32768,
    "num_attention_heads": 32, "num_experts_per_tok": 2, "num_hidden_layers": 32, "num_key_value_heads": 8,
    "num_local_experts": 8, "router_aux_loss_coef": 0.02, "sliding_window": null, "vocab_size": 32000})");
  EXPECT_DOUBLE_EQ(model.parameters(), 46'702'792'704);
  EXPECT_EQ(model.experts, 8U);
  EXPECT_EQ(model.experts_of_token, 2U);
}

TEST(TransformerFileTest, Mpt) {
  const Transformer model = model_in(R"({
    "model_type": "mpt", "attn_config": {"attn_pdrop": 0, "alibi": false}, "d_model": 4096, "expansion_ratio": 4,
    "max_seq_len": 2048, "n_heads": 32, "n_layers": 32, "no_bias": true, "resid_pdrop": 0, "vocab_size": 50432})");
  EXPECT_EQ(model.layers, 32U);
  EXPECT_EQ(model.hidden, 4096U);
  EXPECT_EQ(model.heads, 32U);
  EXPECT_EQ(model.intermediate, 16'384U);
  EXPECT_EQ(model.positions, 2048U);
  EXPECT_FALSE(model.biases);
}

TEST(TransformerFileTest, WithoutAModelTypeItIsAGpt) {
  const Transformer model = model_in("hidden_size: 1024\nnum_hidden_layers: 24\nnum_attention_heads: 16\n");
  EXPECT_EQ(model.hidden, 1024U);
  EXPECT_TRUE(model.biases);
  EXPECT_EQ(model.positions, 2048U) << "what is usual in the family";
}

TEST(TransformerFileTest, NullAndUnknownKeysChangeNothing) {
  const Transformer usual = find_transformer_family("llama")->usual;
  const Transformer model = model_in(R"({
    "model_type": "llama", "vocab_size": null, "tie_word_embeddings": null, "attention_dropout": null,
    "num_key_value_heads": null, "expansion_ratio": null, "hidden_sizes": -3, "quantization_config": {"bits": "x"}})");
  EXPECT_EQ(model.vocabulary, usual.vocabulary);
  EXPECT_EQ(model.tied, usual.tied);
  EXPECT_EQ(model.dropout, usual.dropout);
  EXPECT_EQ(model.key_heads, 0U);
  EXPECT_EQ(model.hidden, 0U);
}

TEST(TransformerFileTest, AnyDropoutCounts) {
  constexpr std::string_view kNone = R"({"attn_pdrop": 0.0, "resid_pdrop": 0.0})";
  constexpr std::string_view kFirst = R"({"attn_pdrop": 0.1, "resid_pdrop": 0.0})";
  constexpr std::string_view kSecond = R"({"attn_pdrop": 0.0, "resid_pdrop": 0.1})";
  EXPECT_FALSE(model_in(kNone).dropout) << "a gpt has dropout unless its file says otherwise";
  EXPECT_TRUE(model_in(kFirst).dropout);
  EXPECT_TRUE(model_in(kSecond).dropout);
}

TEST(TransformerFileTest, AWidthThatIsGivenComesBeforeItsRatio) {
  EXPECT_EQ(model_in(R"({"hidden_size": 64, "expansion_ratio": 4, "intermediate_size": 100})").intermediate, 100U);
}

TEST(TransformerFileTest, WhatIsWrongIsSaidWithItsLine) {
  EXPECT_EQ(problem_in("{\n\"vocab_size\": 5,\n\"model_type\": \"t5\"}"),
            "config.json:3: model_type 't5' is not known; expected gpt, mpt, llama, mixtral, bert, or the model_type "
            "of such a model");
  EXPECT_EQ(problem_in("{\n\"hidden_size\": 0}"),
            "config.json:2: 'hidden_size' is '0'; expected a whole number from 1 to 10000000");
  EXPECT_EQ(problem_in("{\"n_layer\": 12,\n\"n_embd\": 10000001}"),
            "config.json:2: 'n_embd' is '10000001'; expected a whole number from 1 to 10000000");
  EXPECT_EQ(problem_in(R"({"n_head": 1.5})"),
            "config.json:1: 'n_head' is '1.5'; expected a whole number from 1 to 10000000");
  EXPECT_EQ(problem_in(R"({"n_head": [12]})"),
            "config.json:1: 'n_head' is a list; expected a whole number from 1 to 10000000");
  EXPECT_EQ(problem_in(R"({"n_positions": -1})"),
            "config.json:1: 'n_positions' is '-1'; expected a whole number from 1 to 10000000");
  EXPECT_EQ(problem_in(R"({"attn_pdrop": 1.5})"),
            "config.json:1: 'attn_pdrop' is '1.5'; expected a number from 0 to 1");
  EXPECT_TRUE(problem_in(R"({"attn_pdrop": nan})").starts_with("config.json: this is not JSON: "));
  EXPECT_EQ(problem_in(R"({"tie_word_embeddings": 1})"),
            "config.json:1: 'tie_word_embeddings' is '1'; expected true or false");
  EXPECT_EQ(problem_in(""), "config.json:1: the configuration is empty; expected keys such as hidden_size");
  EXPECT_EQ(problem_in("[1, 2]"),
            "config.json:1: the file is a list; expected a map of keys such as '\"hidden_size\": 1024'");
}

TEST(TransformerFileTest, TheClassSaysTheFamilyWithoutAModelType) {
  const TransformerFile llama =
      parse_transformer(R"({"architectures": ["LlamaForCausalLM"], "hidden_size": 4096})", "config.json");
  EXPECT_EQ(llama.family, "llama");
  EXPECT_TRUE(llama.model.gated);
  for (const auto& [name, family] : {std::pair{"GPT2LMHeadModel", "gpt"},
                                     {"GPTNeoForCausalLM", "gpt"},
                                     {"OPTForCausalLM", "gpt"},
                                     {"MPTForCausalLM", "mpt"},
                                     {"MistralForCausalLM", "llama"},
                                     {"Qwen3MoeForCausalLM", "mixtral"},
                                     {"BertForMaskedLM", "bert"}}) {
    EXPECT_EQ(parse_transformer(std::string(R"({"architectures": [")") + name + "\"]}", "config.json").family, family);
  }
  EXPECT_EQ(
      problem_in(R"({"architectures": ["T5ForConditionalGeneration"]})"),
      "config.json:1: architectures 'T5ForConditionalGeneration' is not known; expected gpt, mpt, llama, mixtral, "
      "bert, or the model_type of such a model");
}

TEST(TransformerFileTest, ExpertsHaveTheirOwnWidth) {
  const Transformer model = model_in(R"({
    "model_type": "qwen3_moe", "decoder_sparse_step": 1, "head_dim": 128, "hidden_size": 2048, "intermediate_size": 6144,
    "mlp_only_layers": [], "moe_intermediate_size": 768, "num_attention_heads": 32, "num_experts": 128,
    "num_experts_per_tok": 8, "num_hidden_layers": 48, "num_key_value_heads": 4, "vocab_size": 151936})");
  EXPECT_EQ(model.intermediate, 768U);
  EXPECT_NEAR(model.parameters(), 30.5e9, 0.05e9) << "Qwen3 30B A3B";
  EXPECT_EQ(
      model_in(R"({"model_type": "llama", "intermediate_size": 6144, "moe_intermediate_size": 768})").intermediate,
      6144U)
      << "without experts nothing has that width";
}

TEST(TransformerFileTest, OtherWorkIsRefused) {
  EXPECT_EQ(problem_in("{\"hidden_size\": 1024,\n \"word_embed_proj_dim\": 512}"),
            "config.json:2: 'word_embed_proj_dim' is '512', which changes the work of a step in a way that is not "
            "modelled; expected 1024, or a model without it");
  EXPECT_EQ(problem_in(R"({"kv_lora_rank": 512})"),
            "config.json:1: 'kv_lora_rank' is '512', which changes the work of a step in a way that is not modelled; "
            "expected a model without it");
  EXPECT_EQ(problem_in(R"({"mlp_only_layers": [0, 1]})"),
            "config.json:1: 'mlp_only_layers' is a list, which changes the work of a step in a way that is not "
            "modelled; expected [], or a model without it");
  EXPECT_EQ(model_in(R"({"hidden_size": 1024, "word_embed_proj_dim": 1024, "q_lora_rank": null})").hidden, 1024U);
}

TEST(TransformerFileTest, AWindowIsKeptUnlessItIsTurnedOff) {
  EXPECT_EQ(model_in(R"({"model_type": "mistral", "sliding_window": 4096})").window, 4096U);
  EXPECT_EQ(model_in(R"({"model_type": "qwen2", "sliding_window": 4096, "use_sliding_window": false})").window, 0U);
}

TEST(TransformerFileTest, KeysThatNobodyKnowsAreNamed) {
  const TransformerFile file = parse_transformer(
      R"({"n_embd": 768, "hidden_act": "silu", "hidden_sizes": 3, "torch_dtype": "bfloat16", "new": null})",
      "config.json");
  EXPECT_EQ(file.unused_keys, (std::vector<std::string>{"hidden_sizes", "new"}));
}

TEST(TransformerFileTest, JsonIsReadAsJson) {
  // Tabs, a byte-order mark, escapes beyond U+FFFF; YAML would read some of these otherwise, or not at all.
  const TransformerFile file =
      parse_transformer("\xef\xbb\xbf{\n\t\"n_embd\": 768,\n\t\"\\ud83d\\ude00\": 1}", "config.json");
  EXPECT_EQ(file.model.hidden, 768U);
  EXPECT_EQ(file.unused_keys, std::vector<std::string>{"\xf0\x9f\x98\x80"});
  EXPECT_EQ(problem_in("{\"n_embd\": 1,\n \"n_embd\": 2}"),
            "config.json:2: the key 'n_embd' appears twice; expected it once");
  EXPECT_TRUE(problem_in(R"({"n_embd": 1} {})").starts_with("config.json: this is not JSON: "));
  EXPECT_EQ(problem_in("{\"n_embd\": 1,\n\"a\": " + std::string(100, '[') + std::string(100, ']') + "}"),
            "config.json:2: this is not JSON: it is nested deeper than 64 levels");
}

TEST(TransformerFileTest, AnExpandedWidthStaysInRange) {
  // 1000 x 50,000,000 does not fit into 32 bits.
  EXPECT_EQ(problem_in("{\"d_model\": 5000000,\n\"expansion_ratio\": 1000}"),
            "config.json:2: 'expansion_ratio' is '1000'; expected a whole number from 1 to 2");
  EXPECT_EQ(model_in(R"({"d_model": 5000000, "expansion_ratio": 2})").intermediate, 10'000'000U);
}

TEST(TransformerFileTest, AFileIsReadAndNoted) {
  const TemporaryFolder folder;
  std::ofstream(folder.file("config.json")) << R"({"hidden_size": 64})";
  std::vector<InputFile> inputs;
  EXPECT_EQ(read_transformer_file(folder.file("config.json"), inputs).model.hidden, 64U);
  ASSERT_EQ(inputs.size(), 1U);
  EXPECT_EQ(inputs[0].name, folder.file("config.json"));
}

// ---- profiles of layers

constexpr std::string_view kJson = R"({
  "1": {"1": {"0": [0.001, 0.002, 0.0005], "1": [0.003, 0.006, 0.00025], "2": [0.004, 0.008, 0]},
        "2": {"0": [0.0007, 0.0014, 0.0003], "1": [0.002, 0.004, 0.0001], "2": [0.003, 0.005, 0]}},
  "8": {"1": {"0": [0.007, 0.014, 0.0005], "1": [0.023, 0.047, 0.00025], "2": [0.03, 0.06, 0]}}})";

constexpr std::string_view kCsv =
    "layer,micro_batch,tensor,forward,backward,update\n"
    "0,1,1,0.001,0.002,0.0005\n1,1,1,0.003,0.006,0.00025\n2,1,1,0.004,0.008,0\n"
    "0,1,2,0.0007,0.0014,0.0003\n1,1,2,0.002,0.004,0.0001\n2,1,2,0.003,0.005,0\n"
    "0,8,1,0.007,0.014,0.0005\n1,8,1,0.023,0.047,0.00025\n2,8,1,0.03,0.06,0\n";

LayerProfile profile_in(std::string_view text, std::uint32_t samples = 1, std::uint32_t tensor = 1) {
  return parse_layer_profile(text, "profile", samples, tensor);
}

std::string profile_problem_in(std::string_view text, std::uint32_t samples = 1, std::uint32_t tensor = 1) {
  return thrown_by<InputError>([&] { return parse_layer_profile(text, "profile", samples, tensor); });
}

void expect_times(const LayerProfile& profile, const std::vector<PartTimes>& expected) {
  ASSERT_EQ(profile.parts.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_DOUBLE_EQ(profile.parts[i].forward, expected[i].forward) << "layer " << i;
    EXPECT_DOUBLE_EQ(profile.parts[i].backward, expected[i].backward) << "layer " << i;
    EXPECT_DOUBLE_EQ(profile.parts[i].update, expected[i].update) << "layer " << i;
  }
}

TEST(LayerProfileTest, SecondsBecomeNanoseconds) {
  for (const std::string_view text : {kJson, kCsv}) {
    expect_times(profile_in(text), {{1e6, 2e6, 5e5}, {3e6, 6e6, 2.5e5}, {4e6, 8e6, 0}});
    expect_times(profile_in(text, 1, 2), {{7e5, 1.4e6, 3e5}, {2e6, 4e6, 1e5}, {3e6, 5e6, 0}});
    expect_times(profile_in(text, 8), {{7e6, 1.4e7, 5e5}, {2.3e7, 4.7e7, 2.5e5}, {3e7, 6e7, 0}});
    EXPECT_EQ(profile_in(text).corrected, 0U);
  }
}

TEST(LayerProfileTest, ColumnsAndRowsMayBeInAnyOrder) {
  // Windows' ends of lines, blanks, empty lines and a further column do not matter.
  expect_times(profile_in("\r\n update , backward, forward,tensor,note,micro_batch,layer\r\n"
                          "0,0.008,0.004,1,slow,1,1\r\n\r\n0.0005,0.002,0.001,1,,1,0\r\n"),
               {{1e6, 2e6, 5e5}, {4e6, 8e6, 0}});
}

TEST(LayerProfileTest, FewerSamplesNeverTakeLongerThanMore) {
  // Layer 1 was disturbed at micro batch 1 (9 ms forward), and at 2 even more (10 ms); 4 took 5 ms, 8 took 7 ms. Its
  // update does not depend on samples, so it stays.
  constexpr std::string_view kDisturbed =
      "layer,micro_batch,tensor,forward,backward,update\n"
      "0,1,1,0.001,0.002,0.5\n1,1,1,0.009,0.003,0.5\n"
      "0,2,1,0.002,0.004,0.1\n1,2,1,0.010,0.006,0.1\n"
      "0,4,1,0.003,0.001,0.1\n1,4,1,0.005,0.012,0.1\n"
      "0,8,1,0.004,0.016,0.1\n1,8,1,0.007,0.024,0.1\n"
      "1,8,2,0.0001,0.0001,0.1\n";
  const LayerProfile one = profile_in(kDisturbed, 1);
  expect_times(one, {{1e6, 1e6, 5e8}, {5e6, 3e6, 5e8}});
  EXPECT_EQ(one.corrected, 2U) << "layer 0 backward, layer 1 forward";
  const LayerProfile eight = profile_in(kDisturbed, 8);
  expect_times(eight, {{4e6, 1.6e7, 1e8}, {7e6, 2.4e7, 1e8}});
  EXPECT_EQ(eight.corrected, 0U) << "shorter times of fewer samples change nothing";
}

TEST(LayerProfileTest, WhatTheProfileLacksIsSaidWithWhatItHas) {
  for (const std::string_view text : {kJson, kCsv}) {
    EXPECT_EQ(profile_problem_in(text, 4), "profile: the profile has no micro batch 4; expected one of 1, 8");
    EXPECT_EQ(profile_problem_in(text, 1, 4),
              "profile: the profile has no times of 4 tensor-parallel ranks at micro batch 1; expected one of 1, 2");
    EXPECT_EQ(profile_problem_in(text, 8, 2),
              "profile: the profile has no times of 2 tensor-parallel ranks at micro batch 8; expected one of 1");
  }
}

TEST(LayerProfileTest, AProfileWithoutTimesIsRefused) {
  constexpr std::string_view kRefusal =
      "profile: the profile has no times; expected JSON such as '{\"8\": {\"1\": {\"0\": [0.001, 0.002, 0.0005]}}}', "
      "or "
      "csv with the columns layer,micro_batch,tensor,forward,backward,update";
  for (const std::string_view text :
       {"", "\n\n", "{}", R"({"8": {}})", R"({"8": {"1": {}}})", "layer,micro_batch,tensor,forward,backward,update\n"})
    EXPECT_EQ(profile_problem_in(text), kRefusal) << text;
}

TEST(LayerProfileTest, EachLayerIsThereOnce) {
  EXPECT_EQ(
      profile_problem_in(R"({"1": {"1": {"0": [1, 2, 3], "2": [1, 2, 3]}}})"),
      "profile: the profile has a layer 2, but none with number 1; expected all numbers from 0 (the lookup) to the "
      "last (what comes after the layers)");
  EXPECT_EQ(profile_problem_in("{\"1\": {\"1\": {\"0\": [1, 2, 3],\n \"00\": [1, 2, 3]}}}"),
            "profile:2: layer 0 appears twice; expected it once");
  EXPECT_EQ(profile_problem_in(
                "layer,micro_batch,tensor,forward,backward,update\n0,8,2,1,1,1\n0,8,1,1,1,1\n0,8,2,1,1,1\n", 8, 2),
            "profile:4: layer 0 has times for micro batch 8 and 2 tensor-parallel ranks twice; expected them once");
}

TEST(LayerProfileTest, BrokenJsonIsSaidWithItsLine) {
  EXPECT_EQ(profile_problem_in("{\"1\":\n {\"1\": {\"x\": [1, 2, 3]}}}"),
            "profile:2: the key 'x' is not a whole number; expected a number of a layer");
  EXPECT_EQ(profile_problem_in(R"({"-1": {"1": {"0": [1, 2, 3]}}})"),
            "profile:1: the key '-1' is not a whole number; expected a micro batch");
  EXPECT_EQ(profile_problem_in(R"({"1": {"two": {"0": [1, 2, 3]}}})"),
            "profile:1: the key 'two' is not a whole number; expected a number of tensor-parallel ranks");
  EXPECT_EQ(profile_problem_in(R"({"1": 5})"),
            "profile:1: 'profile[1]' is '5'; expected a map with a key for each number of tensor-parallel ranks");
  EXPECT_EQ(profile_problem_in(R"({"1": {"1": [0]}})"),
            "profile:1: 'profile[1][1]' is a list; expected a map with a key for each number of a layer");
  for (const std::string_view times : {"[1, 2]", "[1, 2, 3, 4]"}) {
    EXPECT_EQ(profile_problem_in("{\"1\": {\"1\": {\"0\": " + std::string(times) + "}}}"),
              "profile:1: 'profile[1][1][0]' is a list; expected [forward, backward, update] in seconds");
  }
  EXPECT_EQ(profile_problem_in(R"({"1": {"1": {"0": 7}}})"),
            "profile:1: 'profile[1][1][0]' is '7'; expected [forward, backward, update] in seconds");
  for (const std::string_view time : {"-1", "3601", "true"}) {
    EXPECT_EQ(profile_problem_in("{\"1\": {\"1\": {\"0\": [1, " + std::string(time) + ", 3]}}}"),
              "profile:1: 'profile[1][1][0][1]' is '" + std::string(time) + "'; expected a number from 0 to 3600");
  }
}

TEST(LayerProfileTest, BrokenCsvIsSaidWithItsLine) {
  constexpr std::string_view kHeader = "layer,micro_batch,tensor,forward,backward,update\n";
  const auto problem = [&](std::string_view row) {
    return profile_problem_in(std::string(kHeader) + std::string(row));
  };
  EXPECT_EQ(profile_problem_in("layer,micro_batch,forward,backward,update\n0,1,1,1,1\n"),
            "profile:1: no column 'tensor'; expected layer,micro_batch,tensor,forward,backward,update");
  EXPECT_EQ(problem("0,1,1,1,1,1\n0.5,1,1,1,1,1\n"), "profile:3: 'layer' is '0.5'; expected a whole number");
  EXPECT_EQ(problem("0,-1,1,1,1,1\n"), "profile:2: 'micro_batch' is '-1'; expected a whole number");
  EXPECT_EQ(problem("0,1,,1,1,1\n"), "profile:2: 'tensor' is ''; expected a whole number");
  EXPECT_EQ(problem("0,1,1,1,1\n"), "profile:2: 'update' is ''; expected seconds from 0 to 3600") << "a cut line";
  for (const std::string_view time : {"-1", "3601", "nan", "inf", "1ms", ""}) {
    EXPECT_EQ(problem("\n0,1,1," + std::string(time) + ",1,1\n"),
              "profile:3: 'forward' is '" + std::string(time) + "'; expected seconds from 0 to 3600");
  }
}

TEST(LayerProfileTest, AFileIsReadAndNoted) {
  const TemporaryFolder folder;
  std::ofstream(folder.file("times.csv")) << kCsv;
  std::vector<InputFile> inputs;
  EXPECT_EQ(read_layer_profile(folder.file("times.csv"), 8, 1, inputs).parts.size(), 3U);
  ASSERT_EQ(inputs.size(), 1U);
  EXPECT_EQ(inputs[0].name, folder.file("times.csv"));
}

}  // namespace
}  // namespace stepsim::ingest::transformer_file_test
