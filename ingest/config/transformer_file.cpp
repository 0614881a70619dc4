#include "ingest/config/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/bytes/input.h"
#include "ingest/config/json_file.h"
#include "model/base/csv.h"
#include "model/base/error.h"
#include "model/base/number.h"
#include "model/base/text.h"
#include "model/base/yaml.h"

namespace stepsim::ingest {
namespace {

constexpr YamlForm kModelForm{1U << 20U, R"("hidden_size": 1024)"};
constexpr YamlForm kProfileForm{16U << 20U, R"("8": {"1": {"0": [0.001, 0.002, 0.0005]}})"};
constexpr std::uint32_t kMostOfModel = 10'000'000;
constexpr double kLongestPart = 3600;  // seconds

/// A key of config.json, and the member that it sets. Libraries have several names for one thing.
struct ModelKey {
  std::string_view name;
  std::uint32_t Transformer::*member;
};
constexpr auto kModelKeys = std::to_array<ModelKey>({
    {"num_hidden_layers", &Transformer::layers},
    {"n_layer", &Transformer::layers},
    {"n_layers", &Transformer::layers},
    {"num_layers", &Transformer::layers},
    {"hidden_size", &Transformer::hidden},
    {"n_embd", &Transformer::hidden},
    {"d_model", &Transformer::hidden},
    {"num_attention_heads", &Transformer::heads},
    {"n_head", &Transformer::heads},
    {"n_heads", &Transformer::heads},
    {"num_heads", &Transformer::heads},
    {"heads", &Transformer::heads},
    {"num_key_value_heads", &Transformer::key_heads},
    {"head_dim", &Transformer::head},
    {"intermediate_size", &Transformer::intermediate},
    {"ffn_dim", &Transformer::intermediate},
    {"n_inner", &Transformer::intermediate},
    {"vocab_size", &Transformer::vocabulary},
    {"type_vocab_size", &Transformer::segments},
    {"num_local_experts", &Transformer::experts},
    {"num_experts", &Transformer::experts},
    {"num_experts_per_tok", &Transformer::experts_of_token},
});
constexpr auto kPositionKeys =
    std::to_array<std::string_view>({"max_position_embeddings", "n_positions", "max_seq_len"});

constexpr auto kDropoutKeys = std::to_array<std::string_view>({"attn_pdrop", "resid_pdrop", "attention_dropout",
                                                               "hidden_dropout", "resid_dropout", "dropout",
                                                               "attention_probs_dropout_prob", "hidden_dropout_prob"});

constexpr std::string_view kRatioKey = "expansion_ratio";
constexpr std::string_view kExpertKey = "moe_intermediate_size";
constexpr std::string_view kTiedKey = "tie_word_embeddings";
constexpr std::string_view kWindowKey = "sliding_window";
constexpr std::string_view kWindowFlag = "use_sliding_window";
constexpr std::string_view kTypeKey = "model_type";
constexpr std::string_view kClassKey = "architectures";

/// Keys that change the work of a step in a way that is not modelled, and the value with which they do not: a number,
/// "[]" for an empty list, "hidden_size" for that value, or nothing.
struct OtherWork {
  std::string_view name;
  std::string_view neutral;
};
constexpr auto kOtherWork = std::to_array<OtherWork>({
    {"word_embed_proj_dim", "hidden_size"},
    {"embedding_size", "hidden_size"},
    {"n_routed_experts", ""},
    {"n_shared_experts", "0"},
    {"num_shared_experts", "0"},
    {"shared_expert_intermediate_size", "0"},
    {"first_k_dense_replace", "0"},
    {"decoder_sparse_step", "1"},
    {"moe_layer_freq", "1"},
    {"interleave_moe_layer_step", "1"},
    {"mlp_only_layers", "[]"},
    {"kv_lora_rank", ""},
    {"q_lora_rank", ""},
    {"num_nextn_predict_layers", "0"},
    {"is_encoder_decoder", "false"},
    {"add_cross_attention", "false"},
    {"vision_config", ""},
    {"text_config", ""},
});

/// Keys that say nothing about the work of a step, or too little to matter: biases, activation functions, tokens.
constexpr auto kHarmless = std::to_array<std::string_view>({
    "_name_or_path",
    "activation_function",
    "attention_bias",
    "attention_types",
    "attn_config",
    "attn_implementation",
    "auto_map",
    "bos_token_id",
    "classifier_dropout",
    "decoder_start_token_id",
    "do_layer_norm_before",
    "embd_pdrop",
    "embed_dropout",
    "embedding_fraction",
    "enable_bias",
    "eos_token_id",
    "gradient_checkpointing",
    "hidden_act",
    "id2label",
    "init_config",
    "init_device",
    "init_std",
    "initializer_range",
    "label2id",
    "layer_norm_elementwise_affine",
    "layer_norm_eps",
    "layer_norm_epsilon",
    "layerdrop",
    "learned_pos_emb",
    "logit_scale",
    "max_window_layers",
    "mlp_bias",
    "n_ctx",
    "no_bias",
    "norm_topk_prob",
    "norm_type",
    "output_router_logits",
    "pad_token_id",
    "position_embedding_type",
    "pretraining_tp",
    "qkv_bias",
    "reorder_and_upcast_attn",
    "rms_norm_eps",
    "rope_scaling",
    "rope_theta",
    "router_aux_loss_coef",
    "router_jitter_noise",
    "scale_attn_by_inverse_layer_idx",
    "scale_attn_weights",
    "summary_activation",
    "summary_first_dropout",
    "summary_proj_to_labels",
    "summary_type",
    "summary_use_proj",
    "task_specific_params",
    "tokenizer_name",
    "torch_dtype",
    "transformers_version",
    "use_cache",
    "verbose",
    "window_size",
    "_remove_final_layer_norm",
    "prefix",
    "resid_attn_dropout",
});

/// Returns the value of a key of a map, or null if it has none or null.
const YamlValue* value_of(const YamlValue& map, std::string_view key) {
  for (std::size_t i = 0; i + 1 < map.items.size(); i += 2) {
    const YamlValue& value = map.items[i + 1];
    if (map.items[i].text != key) continue;
    return value.kind == YamlValue::Kind::kNothing || value.text == "null" ? nullptr : &value;
  }
  return nullptr;
}

std::string list_of_families() {
  std::string names;
  for (const TransformerFamily& family : transformer_families()) add_item(names, std::string(family.name));
  return names;
}

/// Returns the family that the name of a class of Hugging Face's means, such as "LlamaForCausalLM", or null.
const TransformerFamily* family_of_class(std::string_view name) {
  for (const std::string_view end : {"For", "LMHead", "Model"}) name = name.substr(0, name.find(end));
  return find_transformer_family(lower_case(name));
}

/// Returns the family of a configuration: that of its model_type, else of its class, else the first one.
const TransformerFamily& family_of(const YamlValue& configuration, const std::string& name) {
  const YamlValue* const type = value_of(configuration, kTypeKey);
  const YamlValue* classes = value_of(configuration, kClassKey);
  if (classes != nullptr && !classes->items.empty()) classes = &classes->items.front();
  if (type == nullptr && classes == nullptr) return transformer_families().front();
  const TransformerFamily* const family =
      type != nullptr ? find_transformer_family(type->text) : family_of_class(classes->text);
  if (family != nullptr) return *family;
  const std::string_view key = type != nullptr ? kTypeKey : kClassKey;
  const YamlValue* const found = type != nullptr ? type : classes;
  YamlField{std::string(key), found, &name}.fail(
      fmt::format("{} '{}' is not known; expected {}, or the {} of such a model", key, shown(found->text),
                  list_of_families(), kTypeKey));
}

bool uses_window(const YamlValue& configuration) {
  const YamlValue* const flag = value_of(configuration, kWindowFlag);
  return flag == nullptr || flag->text != "false";
}

/// Throws InputError for a key that changes the work of a step in a way that is not modelled.
void refuse_other_work(const YamlValue& configuration, const Transformer& model, const std::string& name) {
  for (const OtherWork& key : kOtherWork) {
    const YamlValue* const found = value_of(configuration, key.name);
    if (found == nullptr) continue;
    const std::string neutral = key.neutral == "hidden_size" ? std::to_string(model.hidden) : std::string(key.neutral);
    const bool is_list = found->kind == YamlValue::Kind::kList;
    if (is_list ? neutral == "[]" && found->items.empty() : !neutral.empty() && found->text == neutral) continue;
    YamlField{std::string(key.name), found, &name}.fail(
        fmt::format("'{}' is {}, which changes the work of a step in a way that is not modelled; expected {}", key.name,
                    is_list                                ? "a list"
                    : found->kind == YamlValue::Kind::kMap ? "a map"
                                                           : fmt::format("'{}'", shown(found->text)),
                    neutral.empty() ? "a model without it" : fmt::format("{}, or a model without it", neutral)));
  }
}

template <class Keys>
bool contains_key(const Keys& keys, std::string_view key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

/// Returns the keys of which nothing here knows what they mean.
std::vector<std::string> unused_keys(const YamlValue& configuration) {
  constexpr auto kUsed =
      std::to_array<std::string_view>({kRatioKey, kExpertKey, kTiedKey, kWindowKey, kWindowFlag, kTypeKey, kClassKey});
  std::vector<std::string> unused;
  for (std::size_t i = 0; i + 1 < configuration.items.size(); i += 2) {
    const std::string& key = configuration.items[i].text;
    const auto has_name = [&key](const auto& known) { return known.name == key; };
    const bool is_known = contains_key(kUsed, key) || contains_key(kPositionKeys, key) ||
                          contains_key(kDropoutKeys, key) || contains_key(kHarmless, key) ||
                          std::any_of(kModelKeys.begin(), kModelKeys.end(), has_name) ||
                          std::any_of(kOtherWork.begin(), kOtherWork.end(), has_name);
    if (!is_known) unused.push_back(key);
  }
  return unused;
}

/// Times of the parts of a model by micro batch, tensor-parallel ranks and part.
using ProfileTable = std::map<std::uint32_t, std::map<std::uint32_t, std::map<std::uint32_t, PartTimes>>>;

/// Calls `take` for each entry of a map whose keys are whole numbers. `expected` says what they number.
template <class Take>
void for_each_number(const YamlField& map, std::string_view expected, const Take& take) {
  if (!map.is(YamlValue::Kind::kMap)) map.reject(fmt::format("a map with a key for each {}", expected));
  for (std::size_t i = 0; i + 1 < map.value->items.size(); i += 2) {
    const YamlValue& key = map.value->items[i];
    const auto number = parse_number<std::uint32_t>(key.text);
    const YamlField field{fmt::format("{}[{}]", map.name, shown(key.text)), &map.value->items[i + 1], map.file};
    if (!number)
      field.fail(fmt::format("the key '{}' is not a whole number; expected a {}", shown(key.text), expected));
    take(*number, field);
  }
}

ProfileTable table_in_json(std::string_view text, const std::string& name) {
  const YamlValue value = parse_json(text, name);
  ProfileTable table;
  for_each_number({"profile", &value, &name}, "micro batch", [&](std::uint32_t batch, const YamlField& of_batch) {
    for_each_number(of_batch, "number of tensor-parallel ranks", [&](std::uint32_t ranks, const YamlField& of_ranks) {
      for_each_number(of_ranks, "number of a layer", [&](std::uint32_t part, const YamlField& times) {
        const std::vector<YamlField> list = times.list("[forward, backward, update] in seconds");
        if (list.size() != 3) times.reject("[forward, backward, update] in seconds");
        const auto nanoseconds = [&list](std::size_t i) { return list[i].number(0, kLongestPart) * 1e9; };
        if (!table[batch][ranks].try_emplace(part, PartTimes{nanoseconds(0), nanoseconds(1), nanoseconds(2)}).second)
          times.fail(fmt::format("layer {} appears twice; expected it once", part));
      });
    });
  });
  return table;
}

constexpr auto kColumns =
    std::to_array<std::string_view>({"layer", "micro_batch", "tensor", "forward", "backward", "update"});

ProfileTable table_in_csv(std::string_view text, const std::string& name) {
  const CsvTable csv = parse_csv(text, name);
  const std::vector<std::string>& names = csv.columns.cells;
  std::array<std::size_t, kColumns.size()> column{};
  for (std::size_t i = 0; i < kColumns.size(); ++i) {
    const auto found = std::find(names.begin(), names.end(), kColumns[i]);
    if (found == names.end()) {
      throw InputError({name, {}, csv.columns.number},
                       fmt::format("no column '{}'; expected {}", kColumns[i], fmt::join(kColumns, ",")));
    }
    column[i] = static_cast<std::size_t>(found - names.begin());
  }
  ProfileTable table;
  for (const CsvLine& line : csv.lines) {
    const auto fail = [&](const std::string& problem) { throw InputError({name, {}, line.number}, problem); };
    const auto cell = [&](std::size_t i) {
      return column[i] < line.cells.size() ? std::string_view(line.cells[column[i]]) : std::string_view{};
    };
    const auto whole = [&](std::size_t i) {
      const auto value = parse_number<std::uint32_t>(cell(i));
      if (!value) fail(fmt::format("'{}' is '{}'; expected a whole number", kColumns[i], shown(cell(i))));
      return *value;
    };
    const auto nanoseconds = [&](std::size_t i) {
      const auto value = parse_number<double>(cell(i));
      if (!value || !(*value >= 0 && *value <= kLongestPart))
        fail(fmt::format("'{}' is '{}'; expected seconds from 0 to {}", kColumns[i], shown(cell(i)), kLongestPart));
      return *value * 1e9;
    };
    const PartTimes times{nanoseconds(3), nanoseconds(4), nanoseconds(5)};
    if (!table[whole(1)][whole(2)].try_emplace(whole(0), times).second) {
      fail(fmt::format("layer {} has times for micro batch {} and {} tensor-parallel ranks twice; expected them once",
                       whole(0), whole(1), whole(2)));
    }
  }
  return table;
}

std::string text_of(const std::string& path, const YamlForm& form, std::vector<InputFile>& inputs) {
  SmallFile file = read_small_file(path, form.largest);
  inputs.push_back(std::move(file.identity));
  return std::move(file.text);
}

template <class Map>
std::string keys_of(const Map& map) {
  std::string text;
  for (const auto& [key, value] : map) add_item(text, std::to_string(key));
  return text;
}

}  // namespace

TransformerFile parse_transformer(std::string_view text, const std::string& name) {
  const YamlValue value = parse_json_or_yaml(text, name, kModelForm);
  const YamlField file{"model", &value, &name};
  if (!is_filled_map(file, kModelForm)) file.fail("the configuration is empty; expected keys such as hidden_size");
  const TransformerFamily& family = family_of(value, name);
  TransformerFile read{.model = family.usual, .family = family.name, .unused_keys = {}};
  Transformer& model = read.model;
  for (const ModelKey& key : kModelKeys) {
    const YamlValue* const found = value_of(value, key.name);
    if (found != nullptr) model.*key.member = YamlField{std::string(key.name), found, &name}.count(1, kMostOfModel);
  }
  for (const std::string_view key : kPositionKeys) {
    const YamlValue* const found = value_of(value, key);
    if (found != nullptr && model.positions > 0)
      model.positions = YamlField{std::string(key), found, &name}.count(1, kMostOfModel);
  }
  if (const YamlValue* const ratio = value_of(value, kRatioKey); ratio != nullptr && model.intermediate == 0) {
    const std::uint32_t most = std::max(1U, kMostOfModel / std::max(1U, model.hidden));
    model.intermediate = YamlField{std::string(kRatioKey), ratio, &name}.count(1, most) * model.hidden;
  }
  if (const YamlValue* const width = value_of(value, kExpertKey); width != nullptr && model.experts > 0)
    model.intermediate = YamlField{std::string(kExpertKey), width, &name}.count(1, kMostOfModel);
  std::optional<bool> dropout;
  for (const std::string_view key : kDropoutKeys) {
    if (const YamlValue* const found = value_of(value, key))
      dropout = YamlField{std::string(key), found, &name}.number(0, 1) > 0 || dropout.value_or(false);
  }
  model.dropout = dropout.value_or(model.dropout);
  if (const YamlValue* const tied = value_of(value, kTiedKey))
    model.tied = YamlField{std::string(kTiedKey), tied, &name}.flag();
  if (const YamlValue* const window = value_of(value, kWindowKey); window != nullptr && uses_window(value))
    model.window = YamlField{std::string(kWindowKey), window, &name}.count(1, kMostOfModel);
  refuse_other_work(value, model, name);
  read.unused_keys = unused_keys(value);
  return read;
}

TransformerFile read_transformer_file(const std::string& path, std::vector<InputFile>& inputs) {
  return parse_transformer(text_of(path, kModelForm, inputs), path);
}

LayerProfile parse_layer_profile(std::string_view text, const std::string& name, std::uint32_t samples,
                                 std::uint32_t tensor) {
  ProfileTable table;
  if (begins_like_json(text)) {
    table = table_in_json(text, name);
  } else if (text.find_first_not_of(" \t\r\n") != std::string_view::npos) {
    table = table_in_csv(text, name);
  }
  if (table.empty()) {
    throw InputError({name, {}, {}},
                     fmt::format("the profile has no times; expected JSON such as '{{{}}}', or csv with "
                                 "the columns {}",
                                 kProfileForm.example, fmt::join(kColumns, ",")));
  }
  const auto of_batch = table.find(samples);
  if (of_batch == table.end()) {
    throw InputError({name, {}, {}},
                     fmt::format("the profile has no micro batch {}; expected one of {}", samples, keys_of(table)));
  }
  const auto of_ranks = of_batch->second.find(tensor);
  if (of_ranks == of_batch->second.end()) {
    throw InputError({name, {}, {}}, fmt::format("the profile has no times of {} tensor-parallel ranks at micro batch "
                                                 "{}; expected one of {}",
                                                 tensor, samples, keys_of(of_batch->second)));
  }
  LayerProfile profile;
  for (const auto& [part, times] : of_ranks->second) {
    if (part != profile.parts.size()) {
      throw InputError(
          {name, {}, {}},
          fmt::format("the profile has a layer {}, but none with number {}; expected all numbers from 0 (the "
                      "lookup) to the last (what comes after the layers)",
                      part, profile.parts.size()));
    }
    PartTimes& own = profile.parts.emplace_back(times);
    for (auto larger = std::next(of_batch); larger != table.end(); ++larger) {
      const auto with_ranks = larger->second.find(tensor);
      if (with_ranks == larger->second.end()) continue;
      const auto other = with_ranks->second.find(part);
      if (other == with_ranks->second.end()) continue;
      for (double PartTimes::*const time : {&PartTimes::forward, &PartTimes::backward})
        own.*time = std::min(own.*time, other->second.*time);
    }
    for (double PartTimes::*const time : {&PartTimes::forward, &PartTimes::backward}) {
      if (own.*time < times.*time) ++profile.corrected;
    }
  }
  return profile;
}

LayerProfile read_layer_profile(const std::string& path, std::uint32_t samples, std::uint32_t tensor,
                                std::vector<InputFile>& inputs) {
  return parse_layer_profile(text_of(path, kProfileForm, inputs), path, samples, tensor);
}

}  // namespace stepsim::ingest
