// Measured beside replayed, step by step and for the iteration:
//
//     rank  step     measured     replayed    error  held out
//        0     4   105.112 ms   105.100 ms  -0.01 %   +0.40 %
//
// The columns are those of StepReport (sim/analysis/summary.h).

#include <fmt/format.h>

#include "sim/report/report.h"

namespace stepsim::sim {
namespace {

Table step_table(const Summary& summary) {
  Table table{{{"rank"}, {"step"}, {"measured"}, {"replayed"}, {"error"}, {"held out"}}};
  table.compare_times();
  for (const StepReport& step : summary.steps) {
    table.add_row({step.rank, step.step, step.measured, step.replayed, signed_percent_cell(step.error),
                   step.held_out_error ? signed_percent_cell(*step.held_out_error) : "-"});
  }
  return table;
}

std::vector<Section> steps_sections(const Findings& findings) {
  const Summary& summary = findings.summary;
  Section section{.title = "Steps"};
  if (!summary.steps.empty()) section.table = step_table(summary);
  std::string set_aside;
  for (const auto& [rank, step] : summary.set_aside)
    set_aside += fmt::format("{}rank {} step {}", set_aside.empty() ? "" : ", ", rank, step);
  if (summary.measured && !summary.steps.empty()) {
    section.sentences.emplace_back(fmt::format(
        "Against its own steps the replay is {:.2f} % off on average and {:.2f} % at worst. That says that nothing was "
        "lost on the way, not that the graph is right.",
        summary.iteration.mean_abs_error * 100, summary.iteration.worst_abs_error * 100));
  }
  if (!set_aside.empty()) section.sentences.emplace_back("Set aside, cut by the capture: " + set_aside);
  return {section};
}

template <class Value>
std::optional<Value> if_measured(const Summary& summary, Value value) {
  return summary.measured ? std::optional{value} : std::nullopt;
}

void write_steps(JsonWriter& json, const Summary& summary) {
  json.key("steps").begin_array();
  for (const StepReport& step : summary.steps) {
    json.new_line().begin_object().key("rank").value(step.rank).key("step").value(step.step);
    json.key("measured_ns").value(if_measured(summary, step.measured)).key("replayed_ns").value(step.replayed);
    json.key("error").value(if_measured(summary, step.error));
    json.key("held_out_error").value(step.held_out_error).end_object();
  }
  json.end_array().new_line().key("set_aside").begin_array();
  for (const auto& [rank, step] : summary.set_aside)
    json.begin_object().key("rank").value(rank).key("step").value(step).end_object();
  json.end_array();
}

void write_perturbation(JsonWriter& json, const Perturbation& test) {
  json.begin_object()
      .key("of")
      .value(test.between_ranks ? "ranks" : "steps")
      .key("steps")
      .value(test.steps)
      .key("mean_abs_error")
      .value(test.error);
  json.key("worst_abs_error").value(test.worst_error).key("mean_abs_difference").value(test.difference).end_object();
}

/// How far the graph was tested, and on what its critical path rests.
void write_trust(JsonWriter& json, const Findings& findings) {
  const CriticalPath& path = findings.path.path;
  json.new_line().key("trust").begin_object().key("perturbation");
  if (findings.perturbation) {
    write_perturbation(json, *findings.perturbation);
  } else {
    json.value(std::optional<double>{});
  }
  json.key("path_unexplained_ns").value(path.unexplained).key("path_silent_ns").value(path.silent);
  json.key("path_hand_overs").value(path.hand_overs).key("path_inferred_hand_overs").value(path.inferred).end_object();
}

void steps_members(JsonWriter& json, const Findings& findings) {
  const Summary& summary = findings.summary;
  const IterationReport& iteration = summary.iteration;
  write_steps(json, summary);
  json.new_line().key("iteration").begin_object();
  json.key("measured_ns").value(if_measured(summary, iteration.measured));
  json.key("replayed_ns").value(iteration.replayed);
  json.key("pace").value(iteration.pace ? std::optional{to_text(*iteration.pace)} : std::nullopt);
  json.key("error").value(if_measured(summary, iteration.error));
  json.key("mean_abs_error").value(if_measured(summary, iteration.mean_abs_error));
  json.key("worst_abs_error").value(if_measured(summary, iteration.worst_abs_error)).end_object();
  if (summary.measured) write_trust(json, findings);
}

}  // namespace

extern const CaptureReport steps_report;
const CaptureReport steps_report{.id = "steps", .in = kReplay, .sections = steps_sections, .members = steps_members};

}  // namespace stepsim::sim
