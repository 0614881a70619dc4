// The critical path of an iteration in short, as a part of the answer of replay.

#include <fmt/format.h>

#include "sim/report/members.h"
#include "sim/report/path_sections.h"
#include "sim/report/report.h"

namespace stepsim::sim {
namespace {

std::vector<Section> path_summary_sections(const Findings& findings) {
  const IterationPath& path = findings.path;
  std::vector<Section> sections = path_sections(findings.capture.dag, path.path, findings.path_rows);
  sections.front().title = fmt::format("Critical path of {}: {}", path_subject(path), to_text(path.path.length));
  return sections;
}

void path_summary_members(JsonWriter& json, const Findings& findings) {
  json.key("critical_path").begin_object();
  write_members(json, findings.path);
  json.end_object();
}

}  // namespace

extern const CaptureReport path_summary_report;
const CaptureReport path_summary_report{
    .id = "path summary", .in = kReplay, .sections = path_summary_sections, .members = path_summary_members};

}  // namespace stepsim::sim
