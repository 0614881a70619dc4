// Which file a conversion wrote, and how large its graph is. For programs; people read the headline.

#include "sim/report/report.h"

namespace stepsim::sim {
namespace {

void conversion_members(JsonWriter& json, const Findings& findings) {
  json.key("output").value(findings.output);
  json.key("tasks").value(findings.capture.dag.task_count()).key("edges").value(findings.capture.dag.edge_count());
}

}  // namespace

extern const CaptureReport conversion_report;
const CaptureReport conversion_report{.id = "conversion", .in = kConversion, .members = conversion_members};

}  // namespace stepsim::sim
