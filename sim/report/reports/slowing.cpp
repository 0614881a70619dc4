// What the profiler added to the captured steps, where job.yaml says what a step takes without it.

#include "sim/report/slowing.h"

#include <string>

#include "sim/report/report.h"

namespace stepsim::sim {
namespace {

std::vector<Section> slowing_sections(const Findings& findings) {
  const std::optional<Slowing> slowing = slowing_of(findings.capture, findings.summary);
  if (!slowing) return {};
  std::string sentence = to_text(*slowing);
  sentence.front() = 'R';
  return {{.title = "The profiler", .sentences = {sentence}}};
}

void slowing_members(JsonWriter& json, const Findings& findings) {
  const std::optional<Slowing> slowing = slowing_of(findings.capture, findings.summary);
  json.key("profiler");
  if (!slowing) {
    json.null();
    return;
  }
  json.begin_object();
  json.key("recorded_ns").value(slowing->recorded);
  json.key("free_ns").value(slowing->free);
  json.key("shortest_step_ns").value(slowing->shortest);
  json.key("slowing").value(slowing->share());
  json.end_object();
}

}  // namespace

extern const CaptureReport slowing_report;
const CaptureReport slowing_report{
    .id = "slowing", .in = kReplay, .sections = slowing_sections, .members = slowing_members};

}  // namespace stepsim::sim
