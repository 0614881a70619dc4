// Waits that nothing in the capture explains, by kind.

#include <fmt/format.h>

#include "sim/report/report.h"

namespace stepsim::sim {
namespace {

std::vector<Section> unexplained_sections(const Findings& findings) {
  Section section{.title = "Waits that nothing explains"};
  for (const UnexplainedKind& kind : findings.summary.unexplained) {
    section.sentences.emplace_back(
        fmt::format("{}: {} in {} over the whole capture", kind.kind, to_text(kind.wait),
                    kind.count == 1 ? std::string("one wait") : fmt::format("{} waits", kind.count)));
  }
  return {section};
}

void unexplained_members(JsonWriter& json, const Findings& findings) {
  json.key("unexplained_wait_ns").value(findings.summary.unexplained_wait).key("unexplained").begin_array();
  for (const UnexplainedKind& kind : findings.summary.unexplained) {
    json.begin_object().key("kind").value(kind.kind).key("wait_ns").value(kind.wait);
    json.key("count").value(kind.count).end_object();
  }
  json.end_array();
}

}  // namespace

extern const CaptureReport unexplained_report;
const CaptureReport unexplained_report{
    .id = "unexplained", .in = kReplay, .sections = unexplained_sections, .members = unexplained_members};

}  // namespace stepsim::sim
