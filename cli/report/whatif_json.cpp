#include "cli/report/device_shares.h"
#include "cli/report/whatif_report.h"

namespace stepsim::cli {
namespace {

void write_breakdown(JsonWriter& json, const sim::RankBreakdown& rank) {
  json.key("breakdown").begin_object().key("rank").value(rank.rank);
  write_duration(json, "iteration_ns", rank.iteration);
  write_parts(json, rank);
  json.end_object();
}

void write_path(JsonWriter& json, const PredictionView& view) {
  json.key("critical_path").begin_object().key("of").value(view.path.of);
  write_duration(json, "length_ns", view.path.path.length);
  for (std::size_t i = 0; i < sim::kPathClassCount; ++i) {
    const auto c = static_cast<sim::PathClass>(i);
    write_duration(json, std::string(sim::to_text(c)) + "_ns", view.path.path[c]);
  }
  json.end_object();
}

void write_measured(JsonWriter& json, const sim::Summary& baseline) {
  json.key("measured").begin_object().key("iteration_ns");
  baseline.measured ? json.value(baseline.iteration.measured.count()) : json.null();
  json.end_object().new_line();
}

void write_baseline(JsonWriter& json, const PredictionView& baseline) {
  json.key("baseline").begin_object();
  write_duration(json, "iteration_ns", baseline.iteration);
  json.key("error");
  baseline.summary.measured ? json.value(baseline.summary.iteration.error) : json.null();
  write_breakdown(json, baseline.slowest);
  write_path(json, baseline);
  json.end_object().new_line();
}

void write_interval(JsonWriter& json, const scenarios::AnswerInterval& interval) {
  write_duration(json, "low_ns", interval.low);
  write_duration(json, "high_ns", interval.high);
  json.key("interval").begin_array();
  for (const scenarios::IntervalSource& source : interval.sources) {
    json.new_line().begin_object().key("source").value(source.name);
    write_duration(json, "low_ns", source.low);
    write_duration(json, "high_ns", source.high);
    json.key("reason").value(source.reason).end_object();
  }
  json.end_array();
}

void write_scenario(JsonWriter& json, const WhatIfAnswer& answer, const PredictionView& baseline,
                    const PredictionView& scenario) {
  json.key("scenario").begin_object().key("name").value(answer.name);
  write_duration(json, "iteration_ns", scenario.iteration);
  write_interval(json, answer.interval);
  json.key("change").value(relative(scenario.iteration, baseline.iteration));
  write_breakdown(json, scenario.slowest);
  write_path(json, scenario);
  json.end_object().new_line();
}

void write_links(JsonWriter& json, const std::vector<LinkPair>& links) {
  json.key("links").begin_array();
  for (const LinkPair& link : links) {
    json.new_line().begin_object().key("link").value(link.name);
    json.key("baseline_busy").value(link.baseline.busy).key("scenario_busy").value(link.scenario.busy);
    write_duration(json, "baseline_queueing_ns", link.baseline.queueing);
    write_duration(json, "scenario_queueing_ns", link.scenario.queueing);
    json.end_object();
  }
  json.end_array().new_line();
}

}  // namespace

void write_whatif(JsonWriter& json, const Asked& asked, const WhatIfAnswer& answer, const PredictionView& baseline,
                  const PredictionView& scenario, const Provenance& provenance) {
  begin(json, "stepsim.whatif/1");
  write_measured(json, baseline.summary);
  write_baseline(json, baseline);
  write_scenario(json, answer, baseline, scenario);
  json.key("changes").begin_array();
  for (const std::string& change : answer.changes) json.value(change);
  json.end_array().new_line();
  write_links(json, busiest_links(answer, asked.predictor->plan().cluster, baseline, scenario));
  write_shares(json, answer.scenario.shares);
  json.key("network").begin_object().key("model").value(asked.network->name);
  write_fits(json, asked.calibration ? asked.calibration->fits : std::vector<Fit>{});
  json.end_object().new_line();
  write_assumptions(json, answer.assumptions);
  write_ingest(json, asked.capture);
  write_provenance(json, provenance);
  json.end_object();
}

}  // namespace stepsim::cli
