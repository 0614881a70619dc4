#include "sim/report/simulated_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "model/base/text.h"
#include "sim/output/json_writer.h"
#include "sim/report/cautions.h"
#include "sim/report/members.h"

namespace stepsim::sim {
namespace {

/// By number of the iteration: the longest part, and whose it is.
std::map<std::int64_t, SimulatedSteps::Step> slowest(const SimulatedSteps& steps) {
  std::map<std::int64_t, SimulatedSteps::Step> result;
  for (const SimulatedSteps::Step& step : steps.steps) {
    const auto [slot, added] = result.try_emplace(step.number, step);
    if (!added && step.length > slot->second.length) slot->second = step;
  }
  return result;
}

Section section_of(const SimulatedSteps& steps, std::size_t rows) {
  Table table{{{"step"}, {"begins at"}, {"takes"}, {"slowest rank"}}};
  table.compare_times();
  const auto all = slowest(steps);
  for (const auto& [number, step] : all) {
    if (table.rows().size() == rows) break;
    table.add_row({number, step.begin - Time{}, step.length, step.rank});
  }
  Section section{.title = "Simulated iterations", .table = std::move(table)};
  add_more_sentence(section, all.size(), rows);
  return section;
}

void write_json(JsonWriter& json, const SimulatedSteps& steps, const Capture& capture, const std::string& output,
                const Provenance& provenance) {
  json.begin_object().key("schema").value("stepsim.simulated/1").new_line();
  json.key("repeated_step").value(steps.repeated).key("iterations").value(steps.iterations);
  json.key("iteration_ns").value(steps.iteration).key("span_ns").value(steps.span);
  json.key("output").value(output.empty() ? std::nullopt : std::optional{std::string_view{output}}).new_line();
  json.key("steps").begin_array();
  for (const SimulatedSteps::Step& step : steps.steps) {
    json.new_line().begin_object().key("rank").value(step.rank).key("step").value(step.number);
    json.key("begin_ns").value(step.begin - Time{}).key("replayed_ns").value(step.length).end_object();
  }
  json.end_array().new_line();
  write_input(json, capture);
  json.new_line();
  write_assumptions(json, capture.assumptions);
  json.new_line();
  write_provenance(json, provenance);
  json.end_object();
}

}  // namespace

Document simulated_document(const SimulatedSteps& steps, const Capture& capture, const std::string& output,
                            std::size_t rows, const Provenance& provenance) {
  Document document{.warning = warning_of(capture),
                    .headline = fmt::format("An iteration takes {}: {} simulated by doing step {} again, {} in all.",
                                            stepsim::to_text(steps.iteration), counted(steps.iterations, "iteration"),
                                            steps.repeated, stepsim::to_text(steps.span)),
                    .caution = caution_of(capture.diagnostics)};
  document.sections.push_back(section_of(steps, rows));
  if (!output.empty()) document.sections.back().sentences.emplace_back(fmt::format("Written to {}", shown(output)));
  Section assumptions{.title = "Assumptions"};
  for (const Assumption& assumption : capture.assumptions) assumptions.sentences.emplace_back(assumption.sentence);
  if (!assumptions.empty()) document.sections.push_back(std::move(assumptions));
  document.json = [&steps, &capture, &output, &provenance](JsonWriter& json) {
    write_json(json, steps, capture, output, provenance);
  };
  return document;
}

}  // namespace stepsim::sim
