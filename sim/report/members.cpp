#include "sim/report/members.h"

#include "sim/output/json_writer.h"
#include "sim/report/path_sections.h"

namespace stepsim::sim {

void write_members(JsonWriter& json, const RankBreakdown& rank) {
  json.key("rank").value(rank.rank).key("iteration_ns").value(rank.iteration);
  json.key("compute_ns").value(rank.compute).key("communication_ns").value(rank.communication);
  json.key("exposed_communication_ns").value(rank.exposed_communication);
  json.key("copies_ns").value(rank.copies).key("collective_wait_ns").value(rank.collective_wait);
  json.key("host_ns").value(rank.host).key("idle_ns").value(rank.idle);
}

void write_members(JsonWriter& json, const IterationParts& parts) {
  json.key("rank").value(parts.rank).key("compute_ns").value(parts.compute);
  json.key("communication_ns").value(parts.communication).key("copies_ns").value(parts.copies);
  json.key("collective_wait_ns").value(parts.collective_wait).key("host_ns").value(parts.host);
  json.key("idle_ns").value(parts.idle);
}

void write_members(JsonWriter& json, const IterationPath& path) {
  json.key("of").value(path_subject(path)).key("length_ns").value(path.path.length).key("classes").begin_object();
  for (std::size_t i = 0; i < kPathClassCount; ++i) {
    const auto path_class = static_cast<PathClass>(i);
    json.key(to_text(path_class)).value(path.path[path_class]);
  }
  json.end_object().key("unexplained_ns").value(path.path.unexplained);
}

void write_diagnostics(JsonWriter& json, const Diagnostics& diagnostics) {
  json.key("diagnostics").begin_array();
  for (const Diagnostics::Entry& entry : diagnostics.entries()) {
    json.new_line().begin_object().key("name").value(entry.name).key("count").value(entry.count);
    json.key("severity").value(stepsim::to_text(entry.severity)).key("remedy").value(entry.remedy);
    json.key("detail").value(entry.detail).key("first").value(entry.first.to_text()).end_object();
  }
  json.end_array();
}

void write_input(JsonWriter& json, const Capture& capture) {
  json.key("ingest").begin_object().key("events").value(capture.events).key("skipped").value(capture.skipped);
  write_diagnostics(json, capture.diagnostics);
  json.end_object();
}

void write_assumptions(JsonWriter& json, const Assumptions& assumptions) {
  json.key("assumptions").begin_array();
  for (const Assumption& assumption : assumptions) json.value(assumption.sentence);
  json.end_array();
}

}  // namespace stepsim::sim
