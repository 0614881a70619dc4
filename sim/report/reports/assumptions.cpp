// What the answer takes for granted.

#include "sim/report/members.h"
#include "sim/report/report.h"

namespace stepsim::sim {
namespace {

std::vector<Section> assumptions_sections(const Findings& findings) {
  std::vector<Section> sections;
  const bool two_kinds = findings.timeline == nullptr;  // of a calibration without a replay
  if (two_kinds) sections.push_back({"Assumptions", {}, as_list(sentences_of(findings.calibration->assumptions))});
  sections.push_back({two_kinds ? "Assumptions about the capture" : "Assumptions",
                      {},
                      as_list(sentences_of(findings.capture.assumptions))});
  return sections;
}

void assumptions_members(JsonWriter& json, const Findings& findings) {
  const bool calibrated_only = findings.timeline == nullptr;
  write_assumptions(json, calibrated_only ? findings.calibration->assumptions : findings.capture.assumptions);
}

}  // namespace

extern const CaptureReport assumptions_report;
const CaptureReport assumptions_report{.id = "assumptions",
                                       .in = kReplay | kCriticalPath | kCalibration,
                                       .sections = assumptions_sections,
                                       .members = assumptions_members};

}  // namespace stepsim::sim
