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

/// Returns the value of a key of a map, or null if it has none or null. Configurations have keys that nobody here
/// knows.
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
  const YamlValue value = parse_yaml(text, name, kProfileForm);
  ProfileTable table;
  for_each_number({"profile", &value, &name}, "micro batch", [&](std::uint32_t batch, const YamlField& of_batch) {
    for_each_number(of_batch, "number of tensor-parallel ranks", [&](std::uint32_t ranks, const YamlField& of_ranks) {
      for_each_number(of_ranks, "number of a layer", [&](std::uint32_t part, const YamlField& times) {
        const std::vector<YamlField> list = times.list("[forward, backward, update] in seconds");
        if (list.size() != 3) times.reject("[forward, backward, update] in seconds");
        const auto nanoseconds = [&list](std::size_t i) { return list[i].number(0, kLongestPart) * 1e9; };
        table[batch][ranks][part] = {nanoseconds(0), nanoseconds(1), nanoseconds(2)};
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
    table[whole(1)][whole(2)][whole(0)] = {nanoseconds(3), nanoseconds(4), nanoseconds(5)};
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

Transformer parse_transformer(std::string_view text, const std::string& name) {
  const YamlValue value = parse_yaml(text, name, kModelForm);
  const YamlField file{"model", &value, &name};
  if (!is_filled_map(file, kModelForm)) file.fail("the configuration is empty; expected keys such as hidden_size");
  const YamlValue* const type = value_of(value, "model_type");
  const TransformerFamily* const family =
      type == nullptr ? &transformer_families().front() : find_transformer_family(type->text);
  if (family == nullptr) {
    YamlField{"model_type", type, &name}.fail(
        fmt::format("model_type '{}' is not known; expected {}, or the model_type of such a model", shown(type->text),
                    list_of_families()));
  }
  Transformer model = family->usual;
  for (const ModelKey& key : kModelKeys) {
    const YamlValue* const found = value_of(value, key.name);
    if (found != nullptr) model.*key.member = YamlField{std::string(key.name), found, &name}.count(1, kMostOfModel);
  }
  for (const std::string_view key : kPositionKeys) {
    const YamlValue* const found = value_of(value, key);
    if (found != nullptr && model.positions > 0)
      model.positions = YamlField{std::string(key), found, &name}.count(1, kMostOfModel);
  }
  if (const YamlValue* const ratio = value_of(value, "expansion_ratio"); ratio != nullptr && model.intermediate == 0) {
    const std::uint32_t most = std::max(1U, kMostOfModel / std::max(1U, model.hidden));
    model.intermediate = YamlField{"expansion_ratio", ratio, &name}.count(1, most) * model.hidden;
  }
  std::optional<bool> dropout;
  for (const std::string_view key : kDropoutKeys) {
    if (const YamlValue* const found = value_of(value, key))
      dropout = YamlField{std::string(key), found, &name}.number(0, 1) > 0 || dropout.value_or(false);
  }
  model.dropout = dropout.value_or(model.dropout);
  if (const YamlValue* const tied = value_of(value, "tie_word_embeddings"))
    model.tied = YamlField{"tie_word_embeddings", tied, &name}.flag();
  return model;
}

Transformer read_transformer_file(const std::string& path, std::vector<InputFile>& inputs) {
  return parse_transformer(text_of(path, kModelForm, inputs), path);
}

LayerProfile parse_layer_profile(std::string_view text, const std::string& name, std::uint32_t samples,
                                 std::uint32_t tensor) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool is_json = first != std::string_view::npos && text[first] == '{';
  ProfileTable table;
  if (first != std::string_view::npos) table = is_json ? table_in_json(text, name) : table_in_csv(text, name);
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
