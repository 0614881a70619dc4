#include "sim/report/cautions.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "model/base/assumption.h"
#include "model/base/known_diagnostics.h"
#include "model/base/text.h"
#include "model/job/parameter_server/workload.h"

namespace stepsim::sim {
namespace {

constexpr std::string_view kNoDeviceWork = diagnostic("launches_without_device_work").name;
constexpr std::string_view kSample = diagnostic("sampled_operators").name;

/// That the capture holds a part of the operators only, if so.
std::string sample_warning(const Diagnostics& diagnostics) {
  const auto& entries = diagnostics.entries();
  const auto sample =
      std::find_if(entries.begin(), entries.end(), [](const auto& entry) { return entry.name == kSample; });
  if (sample == entries.end()) return {};
  return fmt::format(
      "The capture is a sample: {}. What waited for the others waits for nothing here, so no what-if can be trusted.",
      shown(sample->detail));
}

bool assumes(const Capture& capture, std::string_view id) {
  return find_assumption(capture.assumptions, id) != nullptr;
}

/// What was guessed of a parameter-server job of which no job.yaml says anything, if so.
std::string guess_warning(const Capture& capture) {
  const bool inferred = assumes(capture, "inferred_servers");
  if (capture.job != Job{} || (!inferred && !assumes(capture, "unknown_servers"))) return {};
  const std::uint32_t servers = inferred ? capture.parameter_server->job.servers.value_or(0) : 0;
  return fmt::format(
      "No job.yaml was found beside the traces: {}, the rule that spreads keys over servers, the order of control "
      "messages and the speed of links are guesses, and predictions can be far off. docs/job.md has what to write.",
      servers == 0   ? std::string("the number of servers")
      : servers == 1 ? std::string("that there is 1 server")
                     : fmt::format("that there are {} servers", servers));
}

}  // namespace

std::string warning_of(const Capture& capture) {
  const std::uint64_t launches = capture.diagnostics.count_of(kNoDeviceWork);
  if (launches > 0) {
    return fmt::format(
        "The capture lacks its device work: {} launches and not one kernel, so all times are the host's alone. Record "
        "with ProfilerActivity.CUDA, and see that no other tool holds CUPTI.",
        launches);
  }
  if (assumes(capture, "untied_ranks")) {
    return fmt::format(
        "Nothing ties these {} captures together, no collective and no message: each is replayed on its own.",
        capture.recording.ranks.size());
  }
  std::string sample = sample_warning(capture.diagnostics);
  return sample.empty() ? guess_warning(capture) : sample;
}

std::string caution_of(const Diagnostics& diagnostics) {
  std::string names;
  for (const Diagnostics::Entry& entry : diagnostics.entries()) {
    if (entry.severity != Severity::kDataLoss || entry.name == kNoDeviceWork || entry.name == kSample) continue;
    const bool has_share = entry.detail.ends_with("of the span");  // of a category that is not known
    names += fmt::format("{}{} ({}", names.empty() ? "" : ", ", shown(entry.name), entry.count);
    names += has_share ? fmt::format(", {})", shown(entry.detail)) : ")";
  }
  return names.empty() ? names : fmt::format("Not all of the input could be used: {}; see Input below.", names);
}

std::vector<Sentence> diagnostic_sentences(const Diagnostics& diagnostics) {
  std::vector<Sentence> sentences;
  std::string noise;
  for (const Diagnostics::Entry& entry : diagnostics.entries()) {
    if (entry.severity == Severity::kInfo && entry.detail.empty()) {
      noise += fmt::format("{}{} ({})", noise.empty() ? "" : ", ", entry.name, entry.count);
      continue;
    }
    const bool lost = entry.severity == Severity::kDataLoss && !entry.first.file.empty();
    sentences.emplace_back(fmt::format("{} ({}): {}{}", entry.name, entry.count, entry.remedy,
                                       lost ? fmt::format(" [first at {}]", entry.first.to_text()) : std::string()),
                           entry.detail);
  }
  if (!sentences.empty()) sentences.emplace_back("'stepsim help NAME' says what each of these does to the answer");
  if (!noise.empty()) sentences.emplace_back(fmt::format("nothing to act on: {}; --json says more", noise));
  return sentences;
}

void add_input_defects(Document& document, const Diagnostics& diagnostics) {
  document.caution = caution_of(diagnostics);
  if (std::vector<Sentence> sentences = diagnostic_sentences(diagnostics); !sentences.empty())
    document.sections.push_back({.title = "Input", .table = {}, .sentences = std::move(sentences)});
}

}  // namespace stepsim::sim
