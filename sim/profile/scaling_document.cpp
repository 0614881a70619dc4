#include "sim/profile/scaling_document.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/base/text.h"
#include "sim/analysis/intervals.h"
#include "sim/output/json_writer.h"

namespace stepsim::sim {
namespace {

/// How many times as long as in the first run; nothing if that is not known.
std::optional<double> against_first(const Scaling& scaling, const ScalingRun& run) {
  const std::optional<Duration>& first = scaling.runs.front().iteration;
  if (!run.iteration || !first || *first <= Duration{}) return std::nullopt;
  return ratio(*run.iteration, *first);
}

Cell efficiency_cell(const ScalingRun& run) {
  return run.efficiency ? Cell(percent(*run.efficiency), *run.efficiency, Unit::kRatio) : Cell("-");
}

/// "as long as RUN": what the ideal is.
std::string ideal_in_words(const Scaling& scaling) {
  const ScalingRun& smallest = scaling.runs[scaling.smallest];
  const std::string_view how =
      scaling.ideal == Ideal::kWeak ? "as long as on" : "in proportion to the devices, from what it takes on";
  return fmt::format("ideal ({} scaling): {} {} of {}", to_text(scaling.ideal), how,
                     counted(smallest.devices, "device"), shown(smallest.name));
}

Section runs_section(const Scaling& scaling) {
  const bool ideal = scaling.ideal != Ideal::kNone;
  std::vector<Column> columns{{"run", Align::kLeft},
                              {"processes", Align::kRight, Use::kHelp},
                              {"devices"},
                              {"iteration"},
                              {"against the first"}};
  if (ideal) columns.insert(columns.end(), {{"ideal"}, {"efficiency"}});
  columns.insert(columns.end(), {{"average"}, {"longest"}, {"iterations", Align::kRight, Use::kHelp}});
  Table table(std::move(columns));
  table.compare_times();
  for (const ScalingRun& run : scaling.runs) {
    const std::optional<double> times = against_first(scaling, run);
    std::vector<Cell> cells{run.name, run.processes, run.devices, run.iteration ? Cell(*run.iteration) : Cell("-"),
                            times ? Cell(fmt::format("{:.2f} x", *times), *times, Unit::kRatio) : Cell("-")};
    if (ideal) cells.insert(cells.end(), {run.ideal ? Cell(*run.ideal) : Cell("-"), efficiency_cell(run)});
    cells.insert(cells.end(), {run.average, run.most, run.iterations});
    table.add_row(std::move(cells));
  }
  Section section{.title = "Runs", .table = std::move(table)};
  section.sentences.emplace_back(fmt::format(
      "iteration: {} of the measurements, of the slowest process; average and longest: sums over the ranges of what "
      "each takes on average over its streams, and on the slowest of them; their difference is imbalance",
      in_words(scaling.mean)));
  if (ideal) section.sentences.emplace_back(ideal_in_words(scaling) + "; efficiency: the ideal over the iteration");
  return section;
}

Section labels_section(const Scaling& scaling, std::size_t rows) {
  Table table({{"range", Align::kLeft},
               {"run", Align::kLeft},
               {"streams", Align::kRight, Use::kHelp},
               {"average"},
               {"longest"},
               {"on", Align::kLeft, Use::kHelp}});
  table.compare_times();
  for (std::size_t label = 0; label < std::min(rows, scaling.labels.size()); ++label) {
    for (const ScalingRun& run : scaling.runs) {
      const auto cost = std::find_if(run.costs.begin(), run.costs.end(),
                                     [label](const LabelCost& one) { return one.label == label; });
      if (cost == run.costs.end()) continue;
      table.add_row({scaling.labels[label], run.name, cost->streams, cost->average, cost->most, cost->where});
    }
  }
  if (table.rows().empty()) return {};
  Section section{.title = "Ranges", .table = std::move(table)};
  add_more_sentence(section, scaling.labels.size(), rows);
  return section;
}

std::string headline_of(const Scaling& scaling) {
  const ScalingRun& first = scaling.runs.front();
  const ScalingRun& last = scaling.runs.back();
  if (scaling.runs.size() == 1) {
    return fmt::format("One run on {}{}.", counted(first.devices, "device"),
                       first.iteration ? ": an iteration takes " + stepsim::to_text(*first.iteration) : "");
  }
  const std::string what = fmt::format("{} on {} to {}", counted(scaling.runs.size(), "run"), first.devices,
                                       counted(last.devices, "device"));
  const std::optional<double> times = against_first(scaling, last);
  if (!times) return what + ", of which not all measured whole iterations.";
  return fmt::format("{}: an iteration takes {} in the first and {} in the last, {:.2f} times as long.", what,
                     stepsim::to_text(*first.iteration), stepsim::to_text(*last.iteration), *times);
}

void write_scaling(JsonWriter& json, const Scaling& scaling, const Provenance& provenance) {
  json.begin_object().key("schema").value("stepsim.scaling/1").new_line();
  json.key("mean").value(to_text(scaling.mean)).key("ideal");
  scaling.ideal == Ideal::kNone ? json.null() : json.value(to_text(scaling.ideal));
  json.key("runs").begin_array();
  for (const ScalingRun& run : scaling.runs) {
    json.new_line().begin_object().key("name").value(run.name).key("processes").value(run.processes);
    json.key("devices").value(run.devices).key("iterations").value(run.iterations);
    json.key("iteration_ns").value(run.iteration).key("against_first").value(against_first(scaling, run));
    json.key("ideal_ns").value(run.ideal).key("efficiency").value(run.efficiency);
    json.key("average_ns").value(run.average).key("longest_ns").value(run.most).key("ranges").begin_array();
    for (const LabelCost& cost : run.costs) {
      json.new_line().begin_object().key("label").value(scaling.labels[cost.label]).key("streams").value(cost.streams);
      json.key("average_ns").value(cost.average).key("longest_ns").value(cost.most).key("on").value(cost.where);
      json.end_object();
    }
    json.end_array().end_object();
  }
  json.end_array().new_line();
  write_provenance(json, provenance);
  json.end_object();
}

Table rows_of(const Scaling& scaling) {
  Table table({{"run", Align::kLeft},
               {"devices"},
               {"iteration_ns"},
               {"ideal_ns"},
               {"efficiency"},
               {"range", Align::kLeft},
               {"streams"},
               {"average_ns"},
               {"longest_ns"},
               {"on", Align::kLeft}});
  for (const ScalingRun& run : scaling.runs) {
    for (const LabelCost& cost : run.costs) {
      table.add_row({run.name, run.devices, run.iteration ? nanoseconds_cell(*run.iteration) : Cell(""),
                     run.ideal ? nanoseconds_cell(*run.ideal) : Cell(""),
                     run.efficiency ? number_cell(*run.efficiency) : Cell(""), scaling.labels[cost.label], cost.streams,
                     nanoseconds_cell(cost.average), nanoseconds_cell(cost.most), cost.where});
    }
  }
  return table;
}

BarChart::Row stacked(const ScalingRun& run, std::string name, Duration LabelCost::*length, const Scaling& scaling) {
  BarChart::Row row{.group = run.name, .name = std::move(name)};
  Duration at{};
  for (const LabelCost& cost : run.costs) {
    const Duration takes = cost.*length;
    row.bars.push_back(
        {.begin = at,
         .length = takes,
         .kind = static_cast<std::uint32_t>(cost.label) + 1,
         .hint = fmt::format("{}: {}{}", scaling.labels[cost.label], stepsim::to_text(takes),
                             length == &LabelCost::most ? " on " + cost.where : std::string(" on average"))});
    at = saturated_sum(at, takes);
  }
  return row;
}

}  // namespace

Document scaling_document(const Scaling& scaling, std::size_t rows, const Provenance& provenance) {
  Document document{.headline = headline_of(scaling)};
  document.sections.push_back(runs_section(scaling));
  document.sections.push_back(labels_section(scaling, rows));
  std::erase_if(document.sections, [](const Section& section) { return section.empty(); });
  document.rows = [&scaling] { return rows_of(scaling); };
  document.json = [&scaling, &provenance](JsonWriter& json) { write_scaling(json, scaling, provenance); };
  return document;
}

BarChart chart_of(const Scaling& scaling) {
  BarChart chart{.title = "Iterations, and what their ranges take", .axis = "time"};
  chart.kinds.emplace_back("whole iteration");
  chart.kinds.insert(chart.kinds.end(), scaling.labels.begin(), scaling.labels.end());
  for (const ScalingRun& run : scaling.runs) {
    BarChart::Row iteration{.group = run.name, .name = "whole iteration"};
    if (run.iteration) {
      iteration.bars.push_back({.length = *run.iteration,
                                .hint = fmt::format("whole iteration on {}: {}", counted(run.devices, "device"),
                                                    stepsim::to_text(*run.iteration))});
    }
    chart.rows.push_back(std::move(iteration));
    chart.rows.push_back(stacked(run, "ranges, average", &LabelCost::average, scaling));
    chart.rows.push_back(stacked(run, "ranges, longest", &LabelCost::most, scaling));
    for (std::size_t i = chart.rows.size() - 3; i < chart.rows.size(); ++i) chart.rows[i].mark = run.ideal;
  }
  if (scaling.ideal != Ideal::kNone) chart.line = ideal_in_words(scaling);
  return chart;
}

}  // namespace stepsim::sim
