#include "sim/profile/scaling.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "model/base/error.h"
#include "model/base/text.h"
#include "sim/analysis/intervals.h"
#include "sim/report/field.h"

namespace stepsim::sim {
namespace {

using Costs = std::map<std::string, LabelCost>;

class Selection {
 public:
  explicit Selection(const std::vector<std::string>& wanted) : wanted_(wanted.begin(), wanted.end()) {}

  bool has(const RangeSummary& one, const std::string& layer) {
    known_.insert(one.label);
    if (!layer.empty()) known_.insert(layer);
    return wanted_.empty() ? one.depth == 0 : wanted_.contains(one.label) || wanted_.contains(layer);
  }
  void refuse_unknown() const {
    const std::vector<std::string> known(known_.begin(), known_.end());
    for (const std::string& word : wanted_) {
      if (known_.contains(word)) continue;
      const std::optional<std::string> nearest = nearest_name(word, known);
      throw UsageError(
          fmt::format("--labels: no run has a range or a layer '{}'; {}expected those that 'stepsim "
                      "timeline RUN --rows all' lists",
                      shown(word), nearest ? fmt::format("did you mean '{}'? ", shown(*nearest)) : ""));
    }
  }

 private:
  std::set<std::string> wanted_;
  std::set<std::string> known_;
};

Costs costs_of(const ProfiledRun& run, Selection& selection, RangeMean mean) {
  Costs costs;
  for (const RangeSummary& one : summaries_of(run, {.length = mean, .begin = RangeMean::kEarly})) {
    const RangeProfile& profile = run.processes[one.process];
    const MeasuredRange& range = profile.ranges[one.range];
    if (!selection.has(one, range.layer)) continue;
    LabelCost& cost = costs[one.label];
    cost.average = saturated_sum(cost.average, one.length);
    if (cost.streams++ == 0 || one.length > cost.most) {
      cost.most = one.length;
      cost.where = fmt::format("{}, device {}", profile.host.empty() ? profile.file : profile.host, range.device);
    }
  }
  for (auto& [label, cost] : costs) cost.average /= static_cast<std::int64_t>(cost.streams);
  return costs;
}

std::vector<std::string> labels_by_cost(const std::vector<Costs>& runs) {
  std::map<std::string, Duration> most;
  for (const Costs& costs : runs) {
    for (const auto& [label, cost] : costs) most[label] = std::max(most[label], cost.average);
  }
  std::vector<std::string> labels;
  labels.reserve(most.size());
  for (const auto& [label, cost] : most) labels.push_back(label);
  std::stable_sort(labels.begin(), labels.end(),
                   [&most](const std::string& a, const std::string& b) { return most.at(a) > most.at(b); });
  return labels;
}

/// Returns time * of / among, rounded down.
Duration share_of(Duration time, std::size_t of, std::size_t among) {
  const auto whole = static_cast<std::int64_t>(among);
  const auto part = static_cast<std::int64_t>(of);
  return Duration{time.count() / whole * part + time.count() % whole * part / whole};
}

void compare_with_ideal(Scaling& scaling) {
  const auto smaller = [](const ScalingRun& a, const ScalingRun& b) {
    return b.iteration && (!a.iteration || b.devices < a.devices);
  };
  for (std::size_t i = 1; i < scaling.runs.size(); ++i) {
    if (smaller(scaling.runs[scaling.smallest], scaling.runs[i])) scaling.smallest = i;
  }
  const ScalingRun& smallest = scaling.runs[scaling.smallest];
  if (!smallest.iteration) {
    throw CannotAnswer({smallest.name, {}, {}},
                       "no run here measured whole iterations, which --ideal compares; expected profiles with "
                       "iter_time_ms");
  }
  for (ScalingRun& run : scaling.runs) {
    if (run.devices == 0) continue;
    run.ideal = scaling.ideal == Ideal::kWeak ? *smallest.iteration
                                              : share_of(*smallest.iteration, smallest.devices, run.devices);
    if (run.iteration && *run.iteration > Duration{}) run.efficiency = ratio(*run.ideal, *run.iteration);
  }
}

/// Returns the iteration relative to that of the first run; nothing if either is unknown.
std::optional<double> against_first(const Scaling& scaling, const ScalingRun& run) {
  const std::optional<Duration>& first = scaling.runs.front().iteration;
  if (!run.iteration || !first || *first <= Duration{}) return std::nullopt;
  return ratio(*run.iteration, *first);
}

struct RunLine {
  const Scaling* scaling;
  const ScalingRun* run;

  [[nodiscard]] std::optional<double> against_first() const { return sim::against_first(*scaling, *run); }
};
struct CostLine {
  const Scaling* scaling;
  const ScalingRun* run;
  const LabelCost* cost;

  [[nodiscard]] const std::string& label() const { return scaling->labels[cost->label]; }
};

constexpr auto kCost = std::to_array<Field<CostLine>>({
    {"label", at<&CostLine::label>},
    {"streams", at<&CostLine::cost, &LabelCost::streams>},
    {"average_ns", at<&CostLine::cost, &LabelCost::average>},
    {"longest_ns", at<&CostLine::cost, &LabelCost::most>},
    {"on", at<&CostLine::cost, &LabelCost::where>},
});

/// Fields for the terminal and for spreadsheets.
constexpr auto kCostRow = std::to_array<Field<CostLine>>({
    {"run", at<&CostLine::run, &ScalingRun::name>},
    {"devices", at<&CostLine::run, &ScalingRun::devices>},
    {"iteration_ns", at<&CostLine::run, &ScalingRun::iteration>},
    {"ideal_ns", at<&CostLine::run, &ScalingRun::ideal>},
    {"efficiency", at<&CostLine::run, &ScalingRun::efficiency>},
    {"range", at<&CostLine::label>, {"range"}},
    {"", at<&CostLine::run, &ScalingRun::name>, {"run"}},
    {"streams", at<&CostLine::cost, &LabelCost::streams>, {"streams", Use::kHelp}},
    {"average_ns", at<&CostLine::cost, &LabelCost::average>, {"average"}},
    {"longest_ns", at<&CostLine::cost, &LabelCost::most>, {"longest"}},
    {"on", at<&CostLine::cost, &LabelCost::where>, {"on", Use::kHelp}},
});

std::vector<CostLine> cost_lines(const RunLine& line) {
  std::vector<CostLine> lines;
  for (const LabelCost& cost : line.run->costs) lines.push_back({line.scaling, line.run, &cost});
  return lines;
}

constexpr auto kRun = std::to_array<Field<RunLine>>({
    {"name", at<&RunLine::run, &ScalingRun::name>, {"run"}},
    {"processes", at<&RunLine::run, &ScalingRun::processes>, {"processes", Use::kHelp}},
    {"devices", at<&RunLine::run, &ScalingRun::devices>, {"devices"}},
    {"iterations", at<&RunLine::run, &ScalingRun::iterations>, {.title = "steps", .use = Use::kHelp, .place = 1}},
    {"iteration_ns", at<&RunLine::run, &ScalingRun::iteration>, {"step time"}},
    {"against_first",
     at<&RunLine::against_first>,
     {.title = "relative to first",
      .cell =
          [](const RunLine& line) {
            const std::optional<double> times = line.against_first();
            return times ? Cell(fmt::format("{:.2f}x", *times), *times, Unit::kRatio) : Cell("-");
          }}},
    {"ideal_ns", at<&RunLine::run, &ScalingRun::ideal>, {"ideal"}},
    {"efficiency", at<&RunLine::run, &ScalingRun::efficiency>, {"efficiency", Use::kMain, Form::kShare}},
    {"average_ns", at<&RunLine::run, &ScalingRun::average>, {"average"}},
    {"longest_ns", at<&RunLine::run, &ScalingRun::most>, {"longest"}},
    {"ranges", at<cost_lines>, kCost, kItemLines},
});

std::vector<RunLine> run_lines(const Scaling& scaling) {
  std::vector<RunLine> lines;
  for (const ScalingRun& run : scaling.runs) lines.push_back({&scaling, &run});
  return lines;
}

constexpr auto kScaling = std::to_array<Field<Scaling>>({
    {"mean", at<&Scaling::mean>},
    {"ideal",
     [](const Scaling& scaling) {
       return scaling.ideal == Ideal::kNone ? std::nullopt : std::optional{scaling.ideal};
     }},
    {"runs", at<run_lines>, kRun, kRowLines},
});

/// Describes the ideal: "ideal (weak scaling): the same step time as 1 device of RUN".
std::string ideal_in_words(const Scaling& scaling) {
  const ScalingRun& smallest = scaling.runs[scaling.smallest];
  const std::string_view how = scaling.ideal == Ideal::kWeak
                                   ? "the same step time as"
                                   : "a step time divided by the growth in devices, relative to";
  return fmt::format("ideal ({} scaling): {} {} of {}", to_text(scaling.ideal), how,
                     counted(smallest.devices, "device"), shown(smallest.name));
}

Section runs_section(const Scaling& scaling) {
  const bool ideal = scaling.ideal != Ideal::kNone;
  TableRows rows{.compared = true};
  if (!ideal) rows.without = {"ideal", "efficiency"};
  Section section{.title = "Runs", .table = table_of(kRun, run_lines(scaling), rows)};
  section.sentences.emplace_back(fmt::format(
      "step time: {} of the samples, of the slowest process; average and longest: sum of the durations of the ranges, "
      "averaged over the streams or on the slowest stream of each; their difference is imbalance",
      in_words(scaling.mean)));
  if (ideal) section.sentences.emplace_back(ideal_in_words(scaling) + "; efficiency: ideal step time / step time");
  return section;
}

Section labels_section(const Scaling& scaling, std::size_t rows) {
  std::vector<CostLine> lines;
  for (std::size_t label = 0; label < std::min(rows, scaling.labels.size()); ++label) {
    for (const ScalingRun& run : scaling.runs) {
      const auto cost = std::find_if(run.costs.begin(), run.costs.end(),
                                     [label](const LabelCost& one) { return one.label == label; });
      if (cost != run.costs.end()) lines.push_back({&scaling, &run, &*cost});
    }
  }
  if (lines.empty()) return {};
  Section section{.title = "Ranges", .table = table_of(kCostRow, lines, {.compared = true})};
  add_more_sentence(section, scaling.labels.size(), rows);
  return section;
}

std::string headline_of(const Scaling& scaling) {
  const ScalingRun& first = scaling.runs.front();
  const ScalingRun& last = scaling.runs.back();
  if (scaling.runs.size() == 1) {
    return fmt::format("Step time {} (1 run on {}).",
                       first.iteration ? stepsim::to_text(*first.iteration) : std::string("not measured"),
                       counted(first.devices, "device"));
  }
  const std::string what = fmt::format("{} on {} to {}", counted(scaling.runs.size(), "run"), first.devices,
                                       counted(last.devices, "device"));
  const std::optional<double> times = against_first(scaling, last);
  if (!times) return what + ", not all of which measured whole steps.";
  return fmt::format("Step time {} in the last run, {:.2f}x the first run's {} ({}).",
                     stepsim::to_text(*last.iteration), *times, stepsim::to_text(*first.iteration), what);
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

std::string_view to_text(Ideal ideal) noexcept {
  switch (ideal) {
    case Ideal::kWeak: return "weak";
    case Ideal::kStrong: return "strong";
    case Ideal::kNone: break;
  }
  return {};
}

Scaling scaling_of(const std::vector<ProfiledRun>& runs, const std::vector<std::string>& wanted, RangeMean mean,
                   Ideal ideal) {
  Selection selection(wanted);
  std::vector<Costs> costs;
  costs.reserve(runs.size());
  for (const ProfiledRun& run : runs) costs.push_back(costs_of(run, selection, mean));
  selection.refuse_unknown();
  Scaling scaling{.mean = mean, .labels = labels_by_cost(costs), .runs = {}, .ideal = ideal};
  for (std::size_t i = 0; i < runs.size(); ++i) {
    ScalingRun& made = scaling.runs.emplace_back();
    made.name = runs[i].name;
    made.processes = runs[i].processes.size();
    made.devices = devices_in(runs[i]);
    made.iteration = iteration_of(runs[i], mean);
    for (const RangeProfile& profile : runs[i].processes) made.iterations += profile.iterations.size();
    for (std::size_t label = 0; label < scaling.labels.size(); ++label) {
      const auto cost = costs[i].find(scaling.labels[label]);
      if (cost == costs[i].end()) continue;
      cost->second.label = label;
      made.average = saturated_sum(made.average, cost->second.average);
      made.most = saturated_sum(made.most, cost->second.most);
      made.costs.push_back(std::move(cost->second));
    }
  }
  if (scaling.ideal != Ideal::kNone) compare_with_ideal(scaling);
  return scaling;
}

Document scaling_document(const Scaling& scaling, std::size_t rows, const Provenance& provenance) {
  Document document{.headline = headline_of(scaling)};
  document.sections.push_back(runs_section(scaling));
  document.sections.push_back(labels_section(scaling, rows));
  std::erase_if(document.sections, [](const Section& section) { return section.empty(); });
  document.rows = [&scaling] {
    std::vector<CostLine> lines;
    for (const RunLine& run : run_lines(scaling)) {
      for (const CostLine& cost : cost_lines(run)) lines.push_back(cost);
    }
    return rows_table(kCostRow, lines);
  };
  document.json = [&scaling, &provenance](JsonWriter& json) {
    write_answer(json, "stepsim.scaling/1", kScaling, scaling, provenance);
  };
  return document;
}

BarChart chart_of(const Scaling& scaling) {
  BarChart chart{.title = "Step times and the durations of their ranges", .axis = "time"};
  chart.kinds.emplace_back("whole step");
  chart.kinds.insert(chart.kinds.end(), scaling.labels.begin(), scaling.labels.end());
  for (const ScalingRun& run : scaling.runs) {
    BarChart::Row iteration{.group = run.name, .name = "whole step"};
    if (run.iteration) {
      iteration.bars.push_back({.length = *run.iteration,
                                .hint = fmt::format("whole step on {}: {}", counted(run.devices, "device"),
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

AnswerSchema scaling_schema() { return schema_of("stepsim.scaling/1", kScaling); }

}  // namespace stepsim::sim
