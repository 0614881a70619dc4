// How large the replayed graph is. For programs; people read it in the headline and under Input.

#include "sim/report/report.h"

namespace stepsim::sim {
namespace {

void size_members(JsonWriter& json, const Findings& findings) {
  const Capture& capture = findings.capture;
  json.key("tasks").value(capture.dag.task_count()).key("edges").value(capture.dag.edge_count());
  json.key("ranks").begin_array();
  for (const Rank rank : capture.recording.ranks) json.value(rank);
  json.end_array();
}

}  // namespace

extern const CaptureReport size_report;
const CaptureReport size_report{.id = "size", .in = kReplay, .members = size_members};

}  // namespace stepsim::sim
