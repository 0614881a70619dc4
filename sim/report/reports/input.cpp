// What was read, what was skipped and why. What is of no consequence and names nothing
// is one line; programs get it all.

#include <fmt/format.h>

#include "sim/report/cautions.h"
#include "sim/report/members.h"
#include "sim/report/report.h"

namespace stepsim::sim {
namespace {

std::vector<Section> input_sections(const Findings& findings) {
  const Capture& capture = findings.capture;
  Section section{.title = "Input",
                  .lead = fmt::format("{} records read, {} skipped, {} tasks and {} dependencies made", capture.events,
                                      capture.skipped, capture.dag.task_count(), capture.dag.edge_count())};
  section.sentences = diagnostic_sentences(capture.diagnostics);
  return {section};
}

}  // namespace

extern const CaptureReport input_report;
const CaptureReport input_report{
    .id = "input",
    .sections = input_sections,
    .members = [](JsonWriter& json, const Findings& findings) { write_input(json, findings.capture); },
};

}  // namespace stepsim::sim
