#include "cli/whatif_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/json_parts.h"
#include "model/text.h"
#include "sim/report/summary.h"
#include "sim/report/table.h"

namespace stepsim::cli {
namespace {

using sim::Align;
using sim::RankBreakdown;
using sim::Table;

double relative(Duration value, Duration base) {
  return base == Duration{} ? 0.0 : static_cast<double>((value - base).count()) / static_cast<double>(base.count());
}

sim::Summary summary_of(const scenarios::Prediction& prediction) {
  return sim::summarize(*prediction.graph, prediction.timeline);
}

/// Of the rank with the longest iteration; of two the first.
RankBreakdown slowest(const sim::Summary& summary) {
  const auto found = std::max_element(summary.ranks.begin(), summary.ranks.end(),
                                      [](const auto& a, const auto& b) { return a.iteration < b.iteration; });
  return found == summary.ranks.end() ? RankBreakdown{} : *found;
}

std::string signed_time(Duration difference) { return (difference > Duration{} ? "+" : "") + to_text(difference); }

std::string headline(const WhatIfAnswer& answer, const sim::Summary& baseline) {
  const Duration before = answer.baseline.iteration;
  const Duration after = answer.scenario.iteration;
  const std::string times = fmt::format("With {}, an iteration takes {}, from {} to {}, instead of {} ({:+.1f} %)",
                                        answer.name.empty() ? "these changes" : shown(answer.name), to_text(after),
                                        to_text(answer.interval.low), to_text(answer.interval.high), to_text(before),
                                        relative(after, before) * 100);
  if (!baseline.measured) return times + "; nothing was measured to hold the prediction against.";
  return fmt::format("{}; the captured iteration of {} is predicted with an error of {:+.2f} %.", times,
                     to_text(baseline.iteration.measured), baseline.iteration.error * 100);
}

Table difference_table(const RankBreakdown& before, const RankBreakdown& after) {
  Table table({{"of an iteration of the slowest rank", Align::kLeft}, {"baseline"}, {"scenario"}, {"difference"}});
  const auto row = [&](std::string_view what, Duration RankBreakdown::*part) {
    table.add_row(
        {std::string(what), to_text(before.*part), to_text(after.*part), signed_time(after.*part - before.*part)});
  };
  row("iteration", &RankBreakdown::iteration);
  row("compute", &RankBreakdown::compute);
  row("communication", &RankBreakdown::communication);
  row("- beside which nothing computes", &RankBreakdown::exposed_communication);
  row("waiting in collectives", &RankBreakdown::collective_wait);
  row("host", &RankBreakdown::host);
  row("idle", &RankBreakdown::idle);
  return table;
}

Table interval_table(const scenarios::AnswerInterval& interval) {
  Table table({{"source", Align::kLeft}, {"from"}, {"to"}, {"reason", Align::kLeft}});
  for (const scenarios::IntervalSource& source : interval.sources)
    table.add_row({std::string(source.name), to_text(source.low), to_text(source.high), source.reason});
  return table;
}

std::string range_section(const scenarios::AnswerInterval& interval) {
  if (interval.sources.empty()) return "\nNothing shows how far the answer may be off: one step was captured.\n";
  return "\nWhy it is a range\n" + interval_table(interval).to_text();
}

std::string section(std::string_view title, const std::vector<std::string>& sentences) {
  std::string text;
  for (const std::string& sentence : sentences) text += fmt::format("- {}\n", shown(sentence, 400));
  return text.empty() ? text : fmt::format("\n{}\n{}", title, text);
}

std::vector<std::string> all_assumptions(const WhatIfAnswer& answer, const Asked& asked) {
  std::vector<std::string> all = answer.scenario.graph->assumptions;
  const auto add = [&all](const std::vector<std::string>& more) { all.insert(all.end(), more.begin(), more.end()); };
  if (asked.calibration) add(asked.calibration->assumptions);
  add(answer.assumptions);
  return all;
}

void write_breakdown(JsonWriter& json, const RankBreakdown& rank) {
  json.key("breakdown").begin_object();
  write_duration(json, "compute_ns", rank.compute);
  write_duration(json, "communication_ns", rank.communication);
  write_duration(json, "exposed_communication_ns", rank.exposed_communication);
  write_duration(json, "collective_wait_ns", rank.collective_wait);
  write_duration(json, "host_ns", rank.host);
  write_duration(json, "idle_ns", rank.idle);
  json.end_object();
}

void write_measured(JsonWriter& json, const sim::Summary& baseline) {
  json.key("measured").begin_object().key("iteration_ns");
  baseline.measured ? json.value(baseline.iteration.measured.count()) : json.null();
  json.end_object().new_line();
}

void write_baseline(JsonWriter& json, const WhatIfAnswer& answer, const sim::Summary& baseline) {
  json.key("baseline").begin_object();
  write_duration(json, "iteration_ns", answer.baseline.iteration);
  json.key("error");
  baseline.measured ? json.value(baseline.iteration.error) : json.null();
  write_breakdown(json, slowest(baseline));
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

void write_scenario(JsonWriter& json, const WhatIfAnswer& answer) {
  json.key("scenario").begin_object().key("name").value(answer.name);
  write_duration(json, "iteration_ns", answer.scenario.iteration);
  write_interval(json, answer.interval);
  json.key("change").value(relative(answer.scenario.iteration, answer.baseline.iteration));
  write_breakdown(json, slowest(summary_of(answer.scenario)));
  json.end_object().new_line();
}

}  // namespace

void write_whatif(Output& out, const Asked& asked, const WhatIfAnswer& answer, const Provenance& provenance) {
  const sim::Summary baseline = summary_of(answer.baseline);
  JsonWriter json;
  begin(json, "stepsim.whatif/1");
  write_measured(json, baseline);
  write_baseline(json, answer, baseline);
  write_scenario(json, answer);
  json.key("changes").begin_array();
  for (const std::string& change : answer.changes) json.value(change);
  json.end_array().new_line();
  json.key("network").begin_object().key("model").value(asked.network->name);
  write_fits(json, asked.calibration ? asked.calibration->fits : std::vector<Fit>{});
  json.end_object().new_line();
  write_assumptions(json, all_assumptions(answer, asked));
  write_ingest(json, asked.capture);
  write_provenance(json, provenance);
  end(out, json);
}

std::string whatif_text(const Asked& asked, const WhatIfAnswer& answer) {
  const sim::Summary baseline = summary_of(answer.baseline);
  const sim::Summary scenario = summary_of(answer.scenario);
  return headline(answer, baseline) + '\n' + section("Changes", answer.changes) + range_section(answer.interval) +
         "\nWhere the difference comes from\n" + difference_table(slowest(baseline), slowest(scenario)).to_text() +
         section("Assumptions", all_assumptions(answer, asked));
}

}  // namespace stepsim::cli
