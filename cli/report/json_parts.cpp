#include "cli/report/json_parts.h"

namespace stepsim::cli {
namespace {

std::string_view severity_text(Severity severity) {
  switch (severity) {
    case Severity::kInfo: return "info";
    case Severity::kNotice: return "notice";
    case Severity::kDataLoss: return "data loss";
  }
  return "";
}

}  // namespace

void begin(JsonWriter& json, std::string_view schema) { json.begin_object().key("schema").value(schema).new_line(); }

void end(Output& out, JsonWriter& json) {
  json.end_object();
  out.write(json.take());
  out.write("\n");
}

void write_duration(JsonWriter& json, std::string_view name, Duration duration) {
  json.key(name).value(duration.count());
}

void write_parts(JsonWriter& json, const sim::RankBreakdown& rank) {
  write_duration(json, "compute_ns", rank.compute);
  write_duration(json, "communication_ns", rank.communication);
  write_duration(json, "exposed_communication_ns", rank.exposed_communication);
  write_duration(json, "collective_wait_ns", rank.collective_wait);
  write_duration(json, "host_ns", rank.host);
  write_duration(json, "idle_ns", rank.idle);
}

void write_fits(JsonWriter& json, const std::vector<Fit>& fits) {
  json.key("fits").begin_array();
  for (const Fit& fit : fits) {
    json.new_line().begin_object().key("what").value(fit.what).key("value").value(fit.value);
    json.key("samples").value(fit.samples).key("residual").value(fit.residual);
    json.key("from").value(fit.from).end_object();
  }
  json.end_array();
}

void write_ingest(JsonWriter& json, const Capture& capture) {
  json.key("ingest").begin_object().key("events").value(capture.events).key("skipped").value(capture.skipped);
  json.key("diagnostics").begin_array();
  for (const Diagnostics::Entry& entry : capture.diagnostics.entries()) {
    json.new_line().begin_object().key("name").value(entry.name).key("count").value(entry.count);
    json.key("severity").value(severity_text(entry.severity)).key("remedy").value(entry.remedy);
    json.key("detail").value(entry.detail).key("first").value(entry.first.to_text()).end_object();
  }
  json.end_array().end_object().new_line();
}

void write_assumptions(JsonWriter& json, const Assumptions& assumptions) {
  json.key("assumptions").begin_array();
  for (const Assumption& assumption : assumptions) {
    json.value(assumption.sentence);
  }
  json.end_array().new_line();
}

}  // namespace stepsim::cli
