// What was read, what was skipped and why. What is of no consequence and names nothing
// is one line; programs get it all.

#include <fmt/format.h>

#include "sim/report/members.h"
#include "sim/report/report.h"

namespace stepsim::sim {
namespace {

std::vector<Section> sections(const Findings& findings) {
  const Capture& capture = findings.capture;
  Section section{.title = "Input",
                  .lead = fmt::format("{} records read, {} skipped, {} tasks and {} dependencies made", capture.events,
                                      capture.skipped, capture.dag.task_count(), capture.dag.edge_count())};
  std::string noise;
  for (const Diagnostics::Entry& entry : capture.diagnostics.entries()) {
    if (entry.severity == Severity::kInfo && entry.detail.empty()) {
      noise += fmt::format("{}{} ({})", noise.empty() ? "" : ", ", entry.name, entry.count);
      continue;
    }
    const bool lost = entry.severity == Severity::kDataLoss && !entry.first.file.empty();
    section.sentences.emplace_back(
        fmt::format("{} ({}): {}{}", entry.name, entry.count, entry.remedy,
                    lost ? fmt::format(" [first at {}]", entry.first.to_text()) : std::string()),
        entry.detail);
  }
  if (!section.sentences.empty())
    section.sentences.emplace_back("'stepsim help NAME' says what each of these does to the answer");
  if (!noise.empty()) section.sentences.emplace_back(fmt::format("nothing to act on: {}; --json says more", noise));
  return {section};
}

}  // namespace

extern const CaptureReport input_report;
const CaptureReport input_report{
    .id = "input",
    .sections = sections,
    .members = [](JsonWriter& json, const Findings& findings) { write_input(json, findings.capture); },
};

}  // namespace stepsim::sim
