// Baseline and scenario: iteration, interval, breakdown and critical path. For programs; people read
// it in the headline and in the reports that follow.

#include "scenarios/answer/what_if_document.h"
#include "sim/analysis/intervals.h"
#include "sim/report/members.h"
#include "sim/report/path_sections.h"

namespace stepsim::scenarios {
namespace {

using sim::JsonWriter;

void write_view(JsonWriter& json, const PredictionView& view) {
  json.key("of_captured_steps_ns").value(view.prediction.of_captured_steps);
  json.key("in_the_long_run_ns").value(view.prediction.in_the_long_run);
  json.key("breakdown").begin_object();
  sim::write_members(json, view.slowest);
  json.end_object().key("iteration_parts").begin_object();
  sim::write_members(json, view.summary.parts);
  json.end_object().key("critical_path").begin_object().key("of").value(path_subject(view.path));
  json.key("length_ns").value(view.path.path.length);
  for (std::size_t i = 0; i < sim::kPathClassCount; ++i) {
    const auto path_class = static_cast<sim::PathClass>(i);
    json.key(std::string(sim::to_text(path_class)) + "_ns").value(view.path.path[path_class]);
  }
  json.end_object();
}

void write_interval(JsonWriter& json, const AnswerInterval& interval) {
  json.key("low_ns").value(interval.low).key("high_ns").value(interval.high).key("interval").begin_array();
  for (const IntervalSource& source : interval.sources) {
    json.new_line().begin_object().key("source").value(source.name);
    json.key("low_ns").value(source.low).key("high_ns").value(source.high);
    json.key("reason").value(source.reason).end_object();
  }
  json.end_array();
}

void prediction_members(JsonWriter& json, const WhatIfAnswer& answer) {
  const sim::Summary& summary = answer.baseline.summary;
  const Duration before = answer.baseline.prediction.iteration;
  const Duration after = answer.scenario.prediction.iteration;
  json.key("measured").begin_object().key("iteration_ns");
  json.value(summary.measured ? std::optional{summary.iteration.measured} : std::nullopt);
  json.end_object().new_line().key("baseline").begin_object().key("iteration_ns").value(before);
  json.key("error").value(summary.measured ? std::optional{summary.iteration.error} : std::nullopt);
  write_view(json, answer.baseline);
  json.end_object().new_line().key("scenario").begin_object().key("name").value(answer.name);
  json.key("iteration_ns").value(after);
  write_interval(json, answer.interval);
  json.key("change").value(sim::ratio(after - before, before));
  write_view(json, answer.scenario);
  json.end_object();
}

}  // namespace

extern const WhatIfReport prediction_report;
const WhatIfReport prediction_report{.id = "prediction", .members = prediction_members};

}  // namespace stepsim::scenarios
