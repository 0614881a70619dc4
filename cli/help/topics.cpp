#include "cli/help/topics.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

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
#include "sim/export/exporter.h"

namespace stepsim::cli {

namespace {

std::string lower(std::string_view text) {
  std::string small(text);
  std::transform(small.begin(), small.end(), small.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return small;
}

std::string list_of(const TopicKind& kind, std::span<const Command* const> commands) {
  const std::vector<Topic> topics = kind.topics(commands);
  constexpr std::size_t kWidest = 32;  // the summary of a longer name stands below it
  std::size_t width = 0;
  for (const Topic& topic : topics) width = std::max(width, std::min(topic.name.size(), kWidest));
  std::string text = fmt::format("{}: {}\n\n", kind.plural, kind.summary);
  for (const Topic& topic : topics) {
    if (topic.name.size() > width) text += fmt::format("  {}\n", topic.name);
    text += fmt::format("  {:<{}}  {}\n", topic.name.size() > width ? "" : topic.name, width, topic.summary);
  }
  return text;
}

/// Words that somebody who typed `word` may have meant: those that hold it, else the nearest one.
std::vector<std::string> near_words(const std::string& word, const std::vector<std::string>& known) {
  constexpr std::size_t kMost = 5;
  constexpr std::size_t kShortest = 3;
  std::vector<std::string> near;
  for (const std::string& other : known) {
    const bool holds = word.size() >= kShortest && lower(other).find(word) != std::string::npos;
    if (holds && near.size() < kMost) near.push_back(other);
  }
  if (near.empty()) {
    if (const std::optional<std::string> nearest = nearest_name(word, known)) near.push_back(*nearest);
  }
  return near;
}

bool is_called(const Topic& topic, const std::string& asked) {
  const std::string name = lower(topic.name);
  return asked == name || asked == lower(topic.also) || (topic.goes_on && asked.starts_with(name + ' '));
}

[[noreturn]] void refuse(std::string_view word, const std::vector<std::string>& known) {
  std::vector<std::string> near = near_words(lower(word), known);
  for (std::string& other : near) other = fmt::format("'{}'", other);
  throw UsageError(fmt::format("nothing is called '{}'; {}expected one of the words that 'stepsim help' lists",
                               shown(word), near.empty() ? "" : fmt::format("did you mean {}? ", one_of(near))));
}

}  // namespace

std::string explain(std::string_view word, std::span<const Command* const> commands) {
  const std::string asked = lower(word);
  std::vector<std::string> known;
  std::vector<std::string> kinds;  // a kind is what its name means first, whatever else is called so
  std::vector<std::string> words;
  for (const TopicKind& kind : topic_kinds()) {
    if (asked == kind.plural || asked == kind.name) kinds.push_back(list_of(kind, commands));
    known.emplace_back(kind.plural);
    for (const Topic& topic : kind.topics(commands)) {
      if (is_called(topic, asked))
        words.push_back(fmt::format("{} ({}): {}\n{}", topic.name, kind.name, topic.summary, topic.more));
      known.push_back(topic.name);
      if (!topic.also.empty()) known.push_back(topic.also);
    }
  }
  if (kinds.empty() && words.empty()) refuse(word, known);
  kinds.insert(kinds.end(), words.begin(), words.end());
  return fmt::format("{}", fmt::join(kinds.begin(), kinds.end(), "\n"));
}

std::string kinds_of_words() {
  std::string text;
  for (const TopicKind& kind : topic_kinds()) text += fmt::format("  {:<12}  {}\n", kind.plural, kind.summary);
  return text;
}

namespace {

using Commands = std::span<const Command* const>;
using scenarios::Parameter;
using scenarios::WhatIf;

constexpr std::array<std::string_view, kPrecisionCount> kPrecisionNames{"fp64", "fp32", "tf32", "fp16", "fp8"};

/// "  label: text\n", or nothing without a text.
std::string line(std::string_view label, std::string_view text) {
  return text.empty() ? std::string() : fmt::format("  {:<17}  {}\n", label, text);
}

std::string_view text_of(Severity severity) {
  switch (severity) {
    case Severity::kInfo: return "information: left out or found by design, nothing is lost";
    case Severity::kNotice: return "a notice: an assumption that a better capture would not need";
    case Severity::kDataLoss: return "data loss: a record or a part of a file could not be used";
  }
  return {};
}

std::vector<Topic> command_topics(Commands commands) {
  std::vector<Topic> topics;
  for (const Command* const command : commands) {
    topics.push_back({std::string(command->name), "", std::string(command->summary),
                      line("its options", fmt::format("stepsim {} --help", command->name))});
  }
  return topics;
}

std::string text_of(const Parameter& parameter) {
  return fmt::format("{}: {}{}", parameter.form, parameter.summary,
                     parameter.neutral.empty() ? "" : fmt::format(" ({} changes nothing)", parameter.neutral));
}

std::vector<Topic> what_if_topics(Commands /*commands*/) {
  std::vector<Topic> topics;
  for (const WhatIf* const what_if : scenarios::what_ifs()) {
    std::string more;
    for (const Parameter& parameter : what_if->parameters) more += line(parameter.name, text_of(parameter));
    more += line("select", what_if->selected == nullptr
                               ? "it takes no selection of tasks"
                               : fmt::format("it takes a selection of tasks: --set {}{{class=gemm,rank=0}}.{}=...",
                                             what_if->name, what_if->parameters[0].name));
    more += line("not accounted for", what_if->ignores);
    topics.push_back({std::string(what_if->name), "", std::string(what_if->summary), std::move(more)});
  }
  return topics;
}

std::vector<Topic> parameter_topics(Commands /*commands*/) {
  std::vector<Topic> topics;
  for (const WhatIf* const what_if : scenarios::what_ifs()) {
    for (const Parameter& parameter : what_if->parameters) {
      topics.push_back({fmt::format("{}.{}", what_if->name, parameter.name), std::string(parameter.name),
                        text_of(parameter), line("of the what-if", what_if->name)});
    }
  }
  return topics;
}

std::vector<Topic> network_topics(Commands /*commands*/) {
  std::vector<Topic> topics;
  for (const NetworkModel* const model : network_models()) {
    topics.push_back({std::string(model->name), "", std::string(model->summary),
                      line("formula", model->formula) + line("source", model->source) +
                          line("ignores", model->ignores) + line("otherwise", model->otherwise)});
  }
  return topics;
}

std::vector<Topic> network_parameter_topics(Commands /*commands*/) {
  std::vector<Topic> topics;
  for (const NetworkParameter* const parameter : network_parameters()) {
    topics.push_back(
        {fmt::format("messages.{}", parameter->key), std::string(parameter->key),
         fmt::format("{}: {}", parameter->form, parameter->summary),
         line("in a scenario",
              parameter->what_if.empty() ? std::string() : fmt::format("network.{}", parameter->what_if))});
  }
  return topics;
}

std::vector<Topic> collective_topics(Commands /*commands*/) {
  std::vector<Topic> topics;
  for (const CollectiveModel* const model : collective_models()) {
    topics.push_back(
        {std::string(model->name), "", std::string(model->summary),
         line("formula", model->formula) + line("source", model->source) + line("ignores", model->ignores)});
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
      if (peak > 0) add_item(peaks, fmt::format("{} {:.4g}", kPrecisionNames[i], peak / kTera));
    }
    topics.push_back({std::string(device.name), std::string(device.model),
                      fmt::format("memory {}, half-precision products {:.4g} Tflop/s", to_text(device.memory),
                                  device.peak_flops[static_cast<std::size_t>(Precision::kFloat16)] / kTera),
                      line("peaks in Tflop/s", peaks) + line("source", device.source) +
                          line("rates", device.is_measured ? "fitted to measurements of this device"
                                                           : "those of its kind: this device was not measured") +
                          line("in a scenario", fmt::format("device.to={}", device.model))});
  }
  return topics;
}

std::vector<Topic> format_topics(Commands /*commands*/) {
  std::vector<Topic> topics;
  for (const ingest::Format* const format : ingest::formats())
    topics.push_back({std::string(format->name), "", std::string(format->summary), ""});
  return topics;
}

std::vector<Topic> output_topics(Commands /*commands*/) {
  std::vector<Topic> topics;
  for (const sim::Exporter* const exporter : sim::exporters()) {
    topics.push_back({fmt::format(".{}", exporter->extension), std::string(exporter->extension),
                      std::string(exporter->summary), line("use", fmt::format("-o FILE.{}", exporter->extension))});
  }
  return topics;
}

std::vector<Topic> server_rule_topics(Commands /*commands*/) {
  std::vector<Topic> topics;
  for (const ServerRule& rule : server_rules()) {
    topics.push_back({std::string(rule.name), "", std::string(rule.summary),
                      line("in a scenario", fmt::format("comm.key_hash={}", rule.name))});
  }
  return topics;
}

std::vector<Topic> diagnostic_topics(Commands /*commands*/) {
  std::vector<Topic> topics;
  for (const std::span<const Diagnostic> table : kDiagnosticTables) {
    for (const Diagnostic& known : table) {
      topics.push_back({std::string(known.name), "", std::string(known.remedy),
                        line("what it is", text_of(known.severity)) + line("for the answer", known.effect) +
                            line("what helps", known.mend),
                        known.goes_on});
    }
  }
  return topics;
}

constexpr std::array kKinds{
    TopicKind{"command", "commands", "what stepsim can be asked", command_topics},
    TopicKind{"what-if", "what-ifs", "kinds of changes, for --set and scenario files", what_if_topics},
    TopicKind{"parameter", "parameters", "of what-ifs: --set WHATIF.PARAMETER=VALUE", parameter_topics},
    TopicKind{"network model", "models", "how transfers are timed, for --network", network_topics},
    TopicKind{"key of cluster.yaml", "keys", "parameters of network models, for --cluster", network_parameter_topics},
    TopicKind{"collective", "collectives", "algorithms of collectives, for comm.algorithm", collective_topics},
    TopicKind{"device", "devices", "accelerators that are known, for device.to", device_topics},
    TopicKind{"format", "formats", "traces that are read", format_topics},
    TopicKind{"output", "outputs", "files that are written, by the extension of -o", output_topics},
    TopicKind{"diagnostic", "diagnostics", "what a report says of the input: records left out, waits inferred",
              diagnostic_topics},
    TopicKind{"server rule", "rules", "which parameter server holds a key, for comm.key_hash", server_rule_topics},
};

}  // namespace

std::span<const TopicKind> topic_kinds() noexcept { return kKinds; }

}  // namespace stepsim::cli
