#include "cli/help/topics.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <utility>

#include "cli/help/field_words.h"
#include "cli/program/options.h"
#include "ingest/formats/format.h"
#include "model/base/error.h"
#include "model/base/known_diagnostics.h"
#include "model/base/text.h"
#include "model/base/units.h"
#include "model/cost/collective/algorithm.h"
#include "model/cost/device/accelerator.h"
#include "model/cost/network/network.h"
#include "model/job/parameter_server/server_rules.h"
#include "scenarios/change/what_if.h"
#include "sim/check/problems.h"
#include "sim/export/exporter.h"
#include "sim/output/json_writer.h"
#include "sim/report/glossary.h"

namespace stepsim::cli {

namespace {

/// Returns `text` in lower case, with blanks in place of '-' and '_': "self-check" and "Self check" are the same topic.
std::string plain(std::string_view text) {
  std::string small(text);
  std::transform(small.begin(), small.end(), small.begin(),
                 [](unsigned char c) { return c == '-' || c == '_' ? ' ' : static_cast<char>(std::tolower(c)); });
  return small;
}

std::string list_of(const TopicKind& kind, std::span<const Command* const> commands) {
  const std::vector<Topic> topics = kind.topics(commands);
  constexpr std::size_t kWidest = 32;  // the summary of a longer name goes to the next line
  std::size_t width = 0;
  for (const Topic& topic : topics) width = std::max(width, std::min(topic.name.size(), kWidest));
  std::string text = fmt::format("{}: {}\n\n", kind.plural, kind.summary);
  for (const Topic& topic : topics) {
    if (topic.name.size() > width) text += fmt::format("  {}\n", topic.name);
    text += fmt::format("  {:<{}}  {}\n", topic.name.size() > width ? "" : topic.name, width, topic.summary);
  }
  return text;
}

std::string text_of(const Topic& topic, const TopicKind& kind) {
  std::string text = fmt::format("{} ({}): {}\n", topic.name, kind.name, topic.summary);
  for (const auto& [label, detail] : topic.details) {
    if (!detail.empty()) text += fmt::format("  {:<17}  {}\n", label, detail);
  }
  if (!topic.text.empty()) text += fmt::format("  {}\n", topic.text);
  if (topic.picture.empty()) return text;
  text += '\n';
  for (std::string_view rest = topic.picture; !rest.empty();) {
    const std::size_t end = rest.find('\n');
    text += fmt::format("  {}\n", rest.substr(0, end));
    rest.remove_prefix(std::min(rest.size(), end == std::string_view::npos ? end : end + 1));
  }
  return text;
}

/// Returns the known words that a user who typed `word` may have meant: those that contain it, or else the one with the
/// most similar spelling.
std::vector<std::string> near_words(const std::string& word, const std::vector<std::string>& known) {
  constexpr std::size_t kMost = 5;
  constexpr std::size_t kShortest = 3;
  std::vector<std::string> near;
  for (const std::string& other : known) {
    const bool contains = word.size() >= kShortest && plain(other).find(word) != std::string::npos;
    if (contains && near.size() < kMost) near.push_back(other);
  }
  if (near.empty()) {
    if (const std::optional<std::string> nearest = nearest_name(word, known)) near.push_back(*nearest);
  }
  return near;
}

bool is_called(const Topic& topic, const std::string& asked) {
  const std::string name = plain(topic.name);
  if (asked == name || (topic.is_prefix && asked.starts_with(name + ' '))) return true;
  return std::any_of(topic.also.begin(), topic.also.end(),
                     [&asked](const std::string& other) { return asked == plain(other); });
}

[[noreturn]] void refuse(std::string_view word, const std::vector<std::string>& known) {
  std::vector<std::string> near = near_words(plain(word), known);
  for (std::string& other : near) other = fmt::format("'{}'", other);
  throw UsageError(fmt::format("no help topic '{}'; {}see 'stepsim help' for the topics", shown(word),
                               near.empty() ? "" : fmt::format("did you mean {}? ", one_of(near))));
}

/// A meaning of a word that the user asked about: the name of a kind, or the name of one or more topics of that kind.
struct Meaning {
  const TopicKind* kind = nullptr;
  bool is_kind = false;  ///< the word is the name of the kind
  std::vector<Topic> topics;
};

/// Returns the meanings of `word`; a kind comes before topics of the same name. Throws UsageError if there are none.
std::vector<Meaning> meanings_of(std::string_view word, std::span<const Command* const> commands) {
  const std::string asked = plain(word);
  std::vector<std::string> known;
  std::vector<Meaning> kinds;
  std::vector<Meaning> words;
  for (const TopicKind& kind : topic_kinds()) {
    Meaning meaning{.kind = &kind, .topics = {}};
    std::vector<Topic> topics = kind.topics(commands);
    known.emplace_back(kind.plural);
    for (Topic& topic : topics) {
      known.push_back(topic.name);
      known.insert(known.end(), topic.also.begin(), topic.also.end());
      if (is_called(topic, asked)) meaning.topics.push_back(topic);
    }
    if (!meaning.topics.empty()) words.push_back(std::move(meaning));
    if (asked == plain(kind.plural) || asked == plain(kind.name))
      kinds.push_back({.kind = &kind, .is_kind = true, .topics = std::move(topics)});
  }
  if (kinds.empty() && words.empty()) refuse(word, known);
  std::move(words.begin(), words.end(), std::back_inserter(kinds));
  return kinds;
}

std::vector<Meaning> all_topics(std::span<const Command* const> commands) {
  std::vector<Meaning> all;
  for (const TopicKind& kind : topic_kinds())
    all.push_back({.kind = &kind, .is_kind = true, .topics = kind.topics(commands)});
  return all;
}

void write_topic(sim::JsonWriter& json, const Topic& topic) {
  json.new_line().begin_object().key("name").value(topic.name).key("also").begin_array();
  for (const std::string& other : topic.also) json.value(other);
  json.end_array().key("summary").value(topic.summary).key("details").begin_array();
  for (const auto& [label, text] : topic.details) {
    if (!text.empty()) json.begin_object().key("label").value(label).key("text").value(text).end_object();
  }
  json.end_array().key("text").value(topic.text).key("picture").value(topic.picture).end_object();
}

}  // namespace

std::string explain(std::string_view word, std::span<const Command* const> commands) {
  std::vector<std::string> texts;
  for (const Meaning& meaning : meanings_of(word, commands)) {
    if (meaning.is_kind) {
      texts.push_back(list_of(*meaning.kind, commands));
    } else {
      for (const Topic& topic : meaning.topics) texts.push_back(text_of(topic, *meaning.kind));
    }
  }
  return fmt::format("{}", fmt::join(texts.begin(), texts.end(), "\n"));
}

std::string topics_as_json(std::string_view word, std::span<const Command* const> commands) {
  sim::JsonWriter json;
  json.begin_object().key("kinds").begin_array();
  for (const Meaning& meaning : word.empty() ? all_topics(commands) : meanings_of(word, commands)) {
    const TopicKind& kind = *meaning.kind;
    json.new_line().begin_object().key("name").value(kind.name).key("plural").value(kind.plural);
    json.key("summary").value(kind.summary).key("topics").begin_array();
    for (const Topic& topic : meaning.topics) write_topic(json, topic);
    json.end_array().end_object();
  }
  json.end_array().end_object();
  return json.take() + '\n';
}

std::string list_of_kinds() {
  std::string text;
  for (const TopicKind& kind : topic_kinds()) text += fmt::format("  {:<12}  {}\n", kind.plural, kind.summary);
  return text;
}

namespace {

using Commands = std::span<const Command* const>;
using scenarios::Parameter;
using scenarios::WhatIf;

constexpr std::array<std::string_view, kPrecisionCount> kPrecisionNames{"fp64", "fp32", "tf32", "fp16", "fp8"};

std::string_view text_of(Severity severity) {
  switch (severity) {
    case Severity::kInfo: return "information: nothing is lost";
    case Severity::kNotice: return "a notice: stepsim had to assume something that a better capture would show";
    case Severity::kDataLoss: return "data loss: a record or a part of a file could not be used";
  }
  return {};
}

std::vector<Topic> glossary_topics(Commands /*commands*/) {
  std::vector<Topic> topics;
  for (const sim::Term& term : sim::glossary()) {
    topics.push_back({.name = std::string(term.name),
                      .also = sim::list_of_names(term.also),
                      .summary = std::string(term.definition),
                      .text = std::string(term.more),
                      .picture = std::string(term.picture)});
  }
  return topics;
}

/// Returns the one list of what no what-if changes; each word of the field has its own part of it.
Topic not_modelled_topic() {
  Topic topic{.name = "not modelled",
              .also = {"limits", "limitations", "unsupported"},
              .summary = "Changes that no what-if predicts, each with the word that 'stepsim help' explains."};
  for (const FieldWord& word : field_words()) {
    if (!word.not_modelled.empty()) topic.picture += fmt::format("  {:<24} {}\n", word.name, word.not_modelled);
  }
  return topic;
}

std::vector<Topic> field_word_topics(Commands /*commands*/) {
  std::vector<Topic> topics;
  for (const FieldWord& word : field_words()) {
    topics.push_back({.name = std::string(word.name),
                      .also = sim::list_of_names(word.also),
                      .summary = std::string(word.meaning),
                      .details = {{"command", std::string(word.ask)}},
                      .text = std::string(word.here) +
                              (word.not_modelled.empty() ? "" : fmt::format(" Not modelled: {}.", word.not_modelled))});
  }
  topics.push_back(not_modelled_topic());
  return topics;
}

std::vector<Topic> command_topics(Commands commands) {
  std::vector<Topic> topics;
  for (const Command* const command : commands) {
    topics.push_back({.name = std::string(command->name),
                      .also = {},
                      .summary = std::string(command->summary),
                      .details = {{"options", fmt::format("stepsim {} --help", command->name)}}});
  }
  return topics;
}

std::vector<Topic> option_topics(Commands /*commands*/) {
  std::vector<Topic> topics;
  for (const OptionHelp& option : common_options_help()) {
    const std::string last = option.name.substr(option.name.rfind(',') + 1);
    topics.push_back({.name = option.value.empty() ? option.name : fmt::format("{} {}", option.name, option.value),
                      .also = {last, last.substr(last.find_first_not_of('-'))},
                      .summary = option.text});
  }
  return topics;
}

std::vector<Topic> what_if_topics(Commands /*commands*/) {
  std::vector<Topic> topics;
  for (const WhatIf* const what_if : scenarios::what_ifs()) {
    Topic topic{.name = std::string(what_if->name), .also = {}, .summary = std::string(what_if->summary)};
    for (const Parameter& parameter : what_if->parameters)
      topic.details.push_back({parameter.name, scenarios::description_of(parameter)});
    topic.details.push_back({"select", what_if->selected == nullptr
                                           ? "applies to the whole job; does not take a selection of tasks"
                                           : fmt::format("choose tasks in braces: --set {}{{class=gemm,rank=0}}.{}=...",
                                                         what_if->name, what_if->parameters[0].name)});
    topic.details.push_back({"leaves out", std::string(what_if->ignores)});
    topics.push_back(std::move(topic));
  }
  return topics;
}

std::vector<Topic> parameter_topics(Commands /*commands*/) {
  std::vector<Topic> topics;
  for (const WhatIf* const what_if : scenarios::what_ifs()) {
    for (const Parameter& parameter : what_if->parameters) {
      topics.push_back({.name = fmt::format("{}.{}", what_if->name, parameter.name),
                        .also = {std::string(parameter.name)},
                        .summary = scenarios::description_of(parameter),
                        .details = {{"what-if", std::string(what_if->name)}}});
    }
  }
  return topics;
}

std::vector<Topic> network_topics(Commands /*commands*/) {
  std::vector<Topic> topics;
  for (const NetworkModel* const model : network_models()) {
    topics.push_back({.name = std::string(model->name),
                      .also = {},
                      .summary = std::string(model->summary),
                      .details = {{"formula", std::string(model->formula)},
                                  {"source", std::string(model->source)},
                                  {"ignores", std::string(model->ignores)},
                                  {"alternative", std::string(model->otherwise)}}});
  }
  return topics;
}

std::vector<Topic> network_parameter_topics(Commands /*commands*/) {
  std::vector<Topic> topics;
  for (const NetworkParameter* const parameter : network_parameters()) {
    topics.push_back(
        {.name = fmt::format("messages.{}", parameter->key),
         .also = {std::string(parameter->key)},
         .summary = fmt::format("{}: {}", text_of(parameter->type), parameter->summary),
         .details = {{"in a scenario",
                      parameter->what_if.empty() ? std::string() : fmt::format("network.{}", parameter->what_if)}}});
  }
  return topics;
}

std::vector<Topic> collective_topics(Commands /*commands*/) {
  std::vector<Topic> topics;
  for (const CollectiveModel* const model : collective_models()) {
    topics.push_back({.name = std::string(model->name),
                      .also = {},
                      .summary = std::string(model->summary),
                      .details = {{"formula", std::string(model->formula)},
                                  {"source", std::string(model->source)},
                                  {"ignores", std::string(model->ignores)}}});
  }
  return topics;
}

std::vector<Topic> device_topics(Commands /*commands*/) {
  constexpr double kTera = 1e12;
  std::vector<Topic> topics;
  for (const Accelerator& device : accelerators()) {
    std::string peaks;
    for (std::size_t i = 0; i < kPrecisionCount; ++i) {
      const double peak = device.peak_flops[i];
      if (device.computes_in(static_cast<Precision>(i)))
        add_item(peaks, fmt::format("{} {:.4g}", kPrecisionNames[i], peak / kTera));
    }
    const double half = device.peak_flops[static_cast<std::size_t>(Precision::kFloat16)];
    topics.push_back(
        {.name = std::string(device.name),
         .also = {std::string(device.model)},
         .summary = fmt::format("memory {}, half-precision matrix products {:.4g} Tflop/s", to_text(device.memory),
                                half / kTera),
         .details = {{"peaks in Tflop/s", peaks},
                     {"source", std::string(device.source)},
                     {"rates", device.is_measured ? "fitted to measurements of this device"
                                                  : "estimated from devices of the same kind; not measured"},
                     {"in a scenario", fmt::format("device.to={}", device.model)}}});
  }
  return topics;
}

std::vector<Topic> format_topics(Commands /*commands*/) {
  std::vector<Topic> topics;
  for (const ingest::Format* const format : ingest::formats())
    topics.push_back({.name = std::string(format->name), .also = {}, .summary = std::string(format->summary)});
  return topics;
}

std::vector<Topic> output_topics(Commands /*commands*/) {
  std::vector<Topic> topics;
  for (const sim::Exporter* const exporter : sim::exporters()) {
    topics.push_back({.name = fmt::format(".{}", exporter->extension),
                      .also = {std::string(exporter->extension)},
                      .summary = std::string(exporter->summary),
                      .details = {{"use", fmt::format("-o FILE.{}", exporter->extension)}}});
  }
  return topics;
}

std::vector<Topic> server_rule_topics(Commands /*commands*/) {
  std::vector<Topic> topics;
  for (const ServerRule& rule : server_rules()) {
    topics.push_back({.name = std::string(rule.name),
                      .also = {},
                      .summary = std::string(rule.summary),
                      .details = {{"in a scenario", fmt::format("comm.key_hash={}", rule.name)}}});
  }
  return topics;
}

std::vector<Topic> diagnostic_topics(Commands /*commands*/) {
  std::vector<Topic> topics;
  for (const std::span<const Diagnostic> table : kDiagnosticTables) {
    for (const Diagnostic& known : table) {
      topics.push_back({.name = std::string(known.name),
                        .also = {},
                        .summary = std::string(known.remedy),
                        .details = {{"severity", std::string(text_of(known.severity))},
                                    {"effect", std::string(known.effect)},
                                    {"remedy", std::string(known.mend)}},
                        .is_prefix = known.goes_on});
    }
  }
  return topics;
}

std::vector<Topic> problem_topics(Commands /*commands*/) {
  std::vector<Topic> topics;
  topics.reserve(sim::kProblems.size());
  for (const sim::Problem& known : sim::kProblems) {
    topics.push_back({.name = std::string(known.name),
                      .also = {},
                      .summary = std::string(known.what),
                      .details = {{"to avoid it", std::string(known.record)}}});
  }
  return topics;
}

constexpr std::array kKinds{
    TopicKind{"term", "glossary", "Terms in reports, headings and columns", glossary_topics},
    TopicKind{"word", "words", "Words of the field, and where stepsim has what they mean", field_word_topics},
    TopicKind{"command", "commands", "Commands of stepsim", command_topics},
    TopicKind{"option", "options", "Options of all commands that read traces", option_topics},
    TopicKind{"what-if", "what-ifs", "Changes to predict, for --set and scenario files", what_if_topics},
    TopicKind{"parameter", "parameters", "Parameters of what-ifs: --set WHATIF.PARAMETER=VALUE", parameter_topics},
    TopicKind{"device", "devices", "Accelerators with known rates, for device.to", device_topics},
    TopicKind{"network model", "models", "Models of transfer times, for --network", network_topics},
    TopicKind{"key of cluster.yaml", "keys", "Parameters of network models in cluster.yaml", network_parameter_topics},
    TopicKind{"collective", "collectives", "Algorithms of collectives, for comm.algorithm", collective_topics},
    TopicKind{"server rule", "rules", "Rules that assign keys to parameter servers, for comm.key_hash",
              server_rule_topics},
    TopicKind{"format", "formats", "Trace formats that stepsim reads", format_topics},
    TopicKind{"output", "outputs", "Files that stepsim writes, by the extension of -o", output_topics},
    TopicKind{"diagnostic", "diagnostics", "Notes on the input, such as skipped records and inferred waits",
              diagnostic_topics},
    TopicKind{"problem", "problems", "What 'stepsim check' can find missing or wrong, besides diagnostics",
              problem_topics},
};

}  // namespace

std::span<const TopicKind> topic_kinds() noexcept { return kKinds; }

}  // namespace stepsim::cli
