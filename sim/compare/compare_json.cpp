#include "sim/compare/compare_json.h"

#include <string>

#include "sim/analysis/intervals.h"
#include "sim/output/json_writer.h"

namespace stepsim::sim {
namespace {

void write_side(JsonWriter& json, std::string_view key, const Side& side) {
  json.key(key).begin_object().key("name").value(side.name).key("what").value(side.what);
  json.key("iteration_ns").value(side.iteration).key("ranks").value(side.ranks).key("steps_ns").begin_array();
  for (const Duration step : side.steps) json.value(step);
  json.end_array().key("uncertainty_ns").value(side.uncertainty);
  json.key("tasks_outside_steps").value(side.outside_steps).key("warning").value(side.warning).end_object().new_line();
}

void write_parts(JsonWriter& json, std::string_view key, const std::vector<PartDifference>& parts) {
  json.key(key).begin_array();
  for (const PartDifference& part : parts) {
    json.new_line().begin_object().key("part").value(part.name).key("a_ns").value(part.a).key("b_ns").value(part.b);
    json.key("difference_ns").value(part.b - part.a).end_object();
  }
  json.end_array().new_line();
}

void write_relative(JsonWriter& json, Duration a, Duration b) {
  json.key("relative");
  a == Duration{} ? json.null() : json.value(ratio(b - a, a));
}

void write_rows(JsonWriter& json, std::string_view key, const std::vector<Row>& rows) {
  json.key(key).begin_array();
  for (const Row& row : rows) {
    json.new_line().begin_object().key("name").value(row.name);
    if (!row.kind.empty()) json.key("kind").value(row.kind);
    if (!row.kernel_class.empty()) json.key("class").value(row.kernel_class);
    json.key("match").value(to_text(row.match)).key("names_a").value(row.names_a).key("names_b").value(row.names_b);
    json.key("count_a").value(row.count_a).key("count_b").value(row.count_b);
    json.key("a_ns").value(row.time_a).key("b_ns").value(row.time_b).key("difference_ns").value(row.difference());
    write_relative(json, row.time_a, row.time_b);
    json.end_object();
  }
  json.end_array().new_line();
}

}  // namespace

void write_difference(JsonWriter& json, const Difference& difference, const std::optional<Gate>& gate,
                      const Provenance& provenance) {
  json.begin_object().key("schema").value("stepsim.compare/1").new_line();
  write_side(json, "a", difference.a);
  write_side(json, "b", difference.b);
  json.key("iteration");
  if (difference.has_iterations()) {
    json.begin_object().key("difference_ns").value(difference.change());
    write_relative(json, *difference.a.iteration, *difference.b.iteration);
    json.key("noise_ns").value(difference.noise).key("beyond_noise");
    difference.noise ? json.value(difference.is_beyond_noise()) : json.null();
    json.end_object().new_line();
  } else {
    json.null().new_line();
  }
  write_parts(json, "parts", difference.parts);
  write_parts(json, "critical_path", difference.path);
  write_rows(json, "classes", difference.classes);
  json.key("by").value(to_text(difference.by));
  write_rows(json, "rows", difference.rows);
  json.key("gate");
  if (gate) {
    json.begin_object().key("limit").value(gate->limit).key("failed").value(gate->failed);
    json.key("sentence").value(gate->sentence).end_object().new_line();
  } else {
    json.null().new_line();
  }
  write_provenance(json, provenance);
  json.end_object();
}

Table rows_of(const Difference& difference) {
  Table table({{std::string(to_text(difference.by)), Align::kLeft},
               {"kind", Align::kLeft},
               {"class", Align::kLeft},
               {"match", Align::kLeft},
               {"a_count"},
               {"b_count"},
               {"a_ns"},
               {"b_ns"},
               {"difference_ns"},
               {"relative"}});
  for (const Row& row : difference.rows) {
    table.add_row({row.name, row.kind, row.kernel_class, std::string(to_text(row.match)), number_cell(row.count_a),
                   number_cell(row.count_b), nanoseconds_cell(row.time_a), nanoseconds_cell(row.time_b),
                   nanoseconds_cell(row.difference()),
                   row.time_a == Duration{} ? Cell("") : number_cell(ratio(row.difference(), row.time_a))});
  }
  return table;
}

}  // namespace stepsim::sim
