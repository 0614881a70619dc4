// stepsim compare A B: what differs between two captures, or between saved answers?
// stepsim compare A B C...: how does the work of several captures or answers differ?
// stepsim compare A --set k=v: what differs between a capture and a prediction, task by task?

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/program/arguments.h"
#include "cli/program/command.h"
#include "cli/program/error.h"
#include "cli/program/options.h"
#include "cli/program/terminal.h"
#include "cli/work/saved_answer.h"
#include "cli/work/scenario_options.h"
#include "cli/work/what_if_session.h"
#include "cli/work/work.h"
#include "ingest/config/config.h"
#include "model/base/csv.h"
#include "model/base/error.h"
#include "model/base/number.h"
#include "model/base/text.h"
#include "scenarios/answer/what_if_answer.h"
#include "sim/compare/compare_document.h"
#include "sim/compare/several.h"
#include "sim/output/write_file.h"

namespace stepsim::cli {
namespace {

/// How much a property of B's steps may exceed A's.
struct Limit {
  sim::Gauge gauge = sim::Gauge::kStepTime;
  double most = 0;  ///< as a share
};

struct CompareOptions {
  CommonOptions common;
  sim::By by = sim::By::kName;
  sim::RowOrder order = sim::RowOrder::kDifference;
  std::size_t rows = 0;
  std::vector<Limit> limits;  ///< --fail-above
  sim::AllowNoise allow_noise = sim::AllowNoise::kNo;
  bool ignore_partitions = false;
  std::optional<std::string> append_run;  ///< --append-run
};

/// The two results to compare, and the files that they were read from.
struct Sides {
  sim::Side a;
  sim::Side b;
  std::vector<InputFile> inputs;
};

template <class Value>
struct Word {
  std::string_view name;
  Value value;
};

constexpr std::array kBys{Word<sim::By>{"name", sim::By::kName}, Word<sim::By>{"class", sim::By::kClass},
                          Word<sim::By>{"kind", sim::By::kKind}, Word<sim::By>{"operator", sim::By::kOperator},
                          Word<sim::By>{"category", sim::By::kCategory}};
constexpr std::array kOrders{Word<sim::RowOrder>{"difference", sim::RowOrder::kDifference},
                             Word<sim::RowOrder>{"relative", sim::RowOrder::kRelative},
                             Word<sim::RowOrder>{"name", sim::RowOrder::kName},
                             Word<sim::RowOrder>{"total", sim::RowOrder::kTotal}};

constexpr std::array kGauges{Word<sim::Gauge>{sim::to_text(sim::Gauge::kStepTime), sim::Gauge::kStepTime},
                             Word<sim::Gauge>{sim::to_text(sim::Gauge::kExposed), sim::Gauge::kExposed},
                             Word<sim::Gauge>{sim::to_text(sim::Gauge::kGpuIdle), sim::Gauge::kGpuIdle},
                             Word<sim::Gauge>{sim::to_text(sim::Gauge::kLaunches), sim::Gauge::kLaunches}};

/// Parses "3%", a limit of the step time, or "exposed=3%". Throws UsageError for negative numbers and other text.
Limit parse_limit(const std::string& text) {
  Limit limit;
  std::string_view number = text;
  if (const std::size_t sign = text.find('='); sign != std::string::npos) {
    limit.gauge = chosen("--fail-above", kGauges, {text.substr(0, sign)}).value;
    number.remove_prefix(sign + 1);
  }
  const bool has_sign = number.ends_with('%');
  if (has_sign) number.remove_suffix(1);
  while (number.ends_with(' ')) number.remove_suffix(1);
  constexpr double kHundred = 100;
  if (const auto value = parse_number<double>(number); has_sign && value && std::isfinite(*value) && *value >= 0) {
    limit.most = *value / kHundred;
    return limit;
  }
  throw UsageError(fmt::format("--fail-above: '{}' is not a percentage; expected for example 3%", shown(text)));
}

sim::Side side_of_capture(const std::string& trace, const CompareOptions& options, const Session& session,
                          std::vector<InputFile>& inputs) {
  CommonOptions common = options.common;
  common.traces = {trace};
  const Replayed replayed = load_and_replay(common, session);
  const sim::Findings findings = findings_of(replayed);
  sim::Side side = sim::side_of(replayed.capture, replayed.timeline, findings.summary, findings.path.path);
  side.what = findings.summary.measured ? "measured" : "replayed";
  inputs.insert(inputs.end(), replayed.capture.inputs.begin(), replayed.capture.inputs.end());
  return side;
}

sim::Side side_at(const std::string& path, const CompareOptions& options, const Session& session,
                  std::vector<InputFile>& inputs) {
  sim::Side side =
      is_saved_answer(path) ? read_saved_answer(path, inputs) : side_of_capture(path, options, session, inputs);
  side.name = name_in_answers(path, options.common, inputs);
  if (options.ignore_partitions) side.work = sim::without_partitions(side.work);
  return side;
}

sim::Side side_of_prediction(const scenarios::PredictionView& view) {
  sim::Side side = sim::side_of(*view.prediction.graph, view.prediction.timeline, view.summary, view.path.path);
  side.what = "predicted";
  side.iteration = view.prediction.iteration;
  side.steps.clear();  // the captured steps are not predicted one by one
  side.uncertainty = Duration{};
  return side;
}

/// Returns two predictions to compare: the captured job without and with the scenario's changes. The prediction without
/// changes is used in place of the measured times, because the model's error would otherwise appear as a difference.
Sides capture_and_prediction(const CompareOptions& options, const scenarios::Scenario& scenario,
                             const Session& session) {
  const std::shared_ptr<WhatIfSession> what_if = load_for_what_ifs(options.common, scenario, session);
  Sides sides{.inputs = inputs_of(*what_if, scenario, options.common)};
  scenarios::ReplayMeter meter({.threads = options.common.threads, .stop = &session.stop});
  const scenarios::WhatIfAnswer answer = scenarios::answer_of(
      *what_if->predictor, scenario, what_if->calibration ? &*what_if->calibration : nullptr, meter);
  sides.a = side_of_prediction(answer.baseline);
  sides.a.name = name_in_answers(options.common.traces.front(), options.common, sides.inputs) + ", as captured";
  sides.b = side_of_prediction(answer.scenario);
  // The side of the range towards A decides whether B differs from A.
  sides.b.uncertainty = *sides.b.iteration > *sides.a.iteration ? *sides.b.iteration - answer.interval.low
                                                                : answer.interval.high - *sides.b.iteration;
  for (const std::string& change : answer.changes) add_item(sides.b.name, change);
  sides.a.caution.clear();  // the prediction's says it too
  sides.b.caution = answer.trust.caution;
  for (sim::Side* const side : {&sides.a, &sides.b}) {
    side->job.reset();  // both sides are the same job
    if (options.ignore_partitions) side->work = sim::without_partitions(side->work);
  }
  return sides;
}

Sides sides_of(const CompareOptions& options, const std::optional<scenarios::Scenario>& scenario,
               const Session& session) {
  const std::vector<std::string>& traces = options.common.traces;
  if (scenario) {
    if (!scenario->sweep.empty() || !scenario->points.empty())
      throw UsageError("the scenario is a sweep; expected a scenario without 'sweep', or use 'stepsim sweep'");
    if (traces.size() == 1) return capture_and_prediction(options, *scenario, session);
    throw UsageError(
        fmt::format("--set and -s compare one capture with its prediction, and {} captures are given; expected one",
                    traces.size()));
  }
  if (traces.size() != 2) {
    throw UsageError(
        "compare needs two results, and one is given; expected A and B: captures (a folder or an archive for several "
        "files) or answers saved with --json");
  }
  Sides sides;
  sides.a = side_at(traces.front(), options, session, sides.inputs);
  sides.b = side_at(traces.back(), options, session, sides.inputs);
  return sides;
}

void compare_several(const CompareOptions& options, const Session& session) {
  if (!options.limits.empty()) {
    throw UsageError(fmt::format("--fail-above compares two results, and {} are given; expected A and B",
                                 options.common.traces.size()));
  }
  Result result;
  std::vector<InputFile> inputs;
  auto& sides = result.keep(std::vector<sim::Side>{});
  for (const std::string& trace : options.common.traces) sides.push_back(side_at(trace, options, session, inputs));
  const sim::Several& several = result.keep(sim::several_of(sides, options.by, options.order));
  const Provenance& provenance = result.keep(provenance_if_needed(options.common, session, inputs));
  const sim::BarChart& chart = result.keep(sim::chart_of(several));
  result.set(sim::several_document(several, options.rows, provenance), {.provenance = provenance, .bars = &chart});
  report(std::move(result), options.common, session);
}

/// Returns the sentences of the gates for which `is_meant` is true, as one.
template <class IsMeant>
std::string sentences_of(const std::vector<sim::Gate>& gates, const IsMeant& is_meant) {
  std::string sentences;
  for (const sim::Gate& gate : gates) {
    if (std::invoke(is_meant, gate)) add_item(sentences, gate.sentence, "; ");
  }
  return sentences;
}

/// Returns a change of a saved answer, such as "parallel.data=4 .tensor=2", as one text for --set for each parameter.
std::vector<std::string> sets_of(const std::string& change) {
  const std::size_t selection = change.find('{');
  const std::size_t dot = change.find('.', selection == std::string::npos ? 0 : change.find('}', selection));
  const std::string what_if = change.substr(0, dot);
  std::vector<std::string> sets;
  for (std::size_t begin = 0; begin < change.size();) {
    const std::size_t end = std::min(change.find(" .", begin), change.size());
    sets.push_back((begin == 0 ? "" : what_if) + change.substr(begin, end - begin));
    begin = end + 1;
  }
  return sets;
}

/// Returns the file, or the folder that has all of the files.
std::string common_path(const std::vector<std::string>& files) {
  if (files.size() == 1) return files.front();
  std::filesystem::path common = std::filesystem::path(files.front()).parent_path();
  const auto is_in = [&common](const std::string& name) {
    const std::filesystem::path file(name);
    return std::mismatch(common.begin(), common.end(), file.begin(), file.end()).first == common.end();
  };
  while (!common.empty() && !std::all_of(files.begin(), files.end(), is_in)) common = common.parent_path();
  return common.string();
}

/// Appends the measured step of B to a table for `calibrate --measured`, with the question of A, a saved what-if. Makes
/// the table if there is none.
void append_run(const std::string& path, const Sides& sides) {
  if (sides.a.asked_about.empty())
    throw UsageError("--append-run: A is not a saved what-if; expected an answer that whatif saved with --json or -o");
  if (sides.b.what != "measured" || !sides.b.iteration)
    throw UsageError("--append-run: B has no measured step; expected a capture of the job that A predicts");
  std::string changes;
  for (const std::string& change : sides.a.changes) {
    for (const std::string& set : sets_of(change))
      add_item(changes, set.find(' ') == std::string::npos ? set : fmt::format("'{}'", set), " ");
  }
  const std::string capture = common_path(sides.a.asked_about);
  if (!std::filesystem::path(capture).has_filename())
    throw UsageError("--append-run: A was made from files in several places; expected those of one folder");
  const std::map<std::string_view, std::string> cells{
      {"name", sides.b.name},
      {"capture", capture},
      {"set", changes},
      {"step_s", fmt::format("{:.9g}", static_cast<double>(sides.b.iteration->count()) / 1e9)}};
  std::string text = "name,capture,set,step_s\n";
  if (std::filesystem::exists(path)) text = ingest::read_runs_file(path).text;
  const CsvTable table = parse_csv(text, path);
  std::size_t known = 0;
  std::string line;
  for (const std::string& column : table.columns.cells) {
    const auto cell = cells.find(column);
    if (cell != cells.end()) ++known;
    line += (line.empty() ? "" : ",") + (cell != cells.end() ? quoted_csv(cell->second) : std::string());
  }
  if (known < cells.size())
    throw InputError({path, {}, table.columns.number}, "expected the columns name, capture, set and step_s");
  if (!text.ends_with('\n')) text += '\n';
  sim::OutputFile out(path);
  out.write(text + line + '\n');
  out.commit();
}

void run_compare(const CompareOptions& options, const std::optional<scenarios::Scenario>& scenario,
                 const Session& session) {
  check_output(options.common);
  const std::vector<std::string>& traces = options.common.traces;
  refuse_standard_input_twice(traces, "results");
  with_typed_errors([&] {
    if (!scenario && traces.size() > 2) return compare_several(options, session);
    Result result;
    const Sides& sides = result.keep(sides_of(options, scenario, session));
    const auto& difference = result.keep(sim::difference_of(sides.a, sides.b, options.by, options.order));
    auto& gates = result.keep(std::vector<sim::Gate>{});
    for (const Limit& limit : options.limits)
      gates.push_back(sim::gate_of(difference, limit.most, options.allow_noise, limit.gauge));
    const Provenance& provenance = result.keep(provenance_if_needed(options.common, session, sides.inputs));
    const sim::BarChart& chart = result.keep(sim::chart_of(difference));
    result.set(sim::compare_document(difference, gates, options.rows, provenance),
               {.provenance = provenance, .bars = &chart});
    if (options.append_run) append_run(*options.append_run, sides);
    const std::string failed = sentences_of(gates, &sim::Gate::failed);
    const std::string not_judged = sentences_of(gates, [](const sim::Gate& gate) { return !gate.judged; });
    report(std::move(result), options.common, session);
    session.out.flush();
    if (!failed.empty()) throw GateFailed("--fail-above " + failed);
    if (!not_judged.empty()) throw CannotAnswer({}, "--fail-above " + not_judged);
  });
}

Command::Run setup_compare(CLI::App& app) {
  const auto common =
      add_common_options(app, {.command = "compare", .contents = {sim::Content::kDocument, sim::Content::kPicture}});
  app.get_option("TRACE")->description(
      "A and B, or more: captures, or answers saved with --json; with --set or -s one capture, which is compared with "
      "its prediction");
  const auto scenario =
      add_scenario_options(app, "Compare TRACE with a prediction, for example network.bandwidth=2x; may be repeated");
  const auto* by = app.add_option("--by")->type_name("KEY")->description(
      fmt::format("Group rows by {} (default: name)", one_of(words_of(kBys))));
  const auto* order = app.add_option("--sort")->type_name("KEY")->description(
      fmt::format("Sort rows by {} (default: difference)", one_of(words_of(kOrders))));
  const auto rows = add_rows_option(app, "Print the first N rows of each table", 20, "--rows,--head");
  const auto* ignore_partitions =
      app.add_flag("--ignore-partitions")
          ->disable_flag_override()
          ->description("Add up the partitions of a tensor: Comm.w.PUSH.0 and .1 become Comm.w.PUSH");
  const auto* fail_above = app.add_option("--fail-above")
                               ->type_name("[GAUGE=]PERCENT")
                               ->expected(1)
                               ->take_all()
                               ->description(
                                   "Exit with 4 if B is significantly more than PERCENT slower than A, and with 5 if "
                                   "noise hides whether it is; 'exposed=' limits exposed communication, 'gpu-idle=' "
                                   "idle time of the GPU, 'launches=' their number; may be repeated");
  const auto* allow_noise = app.add_flag("--allow-noise")
                                ->disable_flag_override()
                                ->description("Let --fail-above pass if noise hides whether B is slower");
  const auto* append = app.add_option("--append-run")
                           ->type_name("RUNS.csv")
                           ->description(
                               "Append the measured step of B, with the question of A, a saved what-if, to the table "
                               "RUNS.csv, for 'stepsim calibrate --measured'");
  return [=, &app](const Session& session) {
    CompareOptions options{.common = common(),
                           .by = chosen("key of --by", kBys, by->results()).value,
                           .order = chosen("key of --sort", kOrders, order->results()).value};
    options.rows = rows();
    options.ignore_partitions = ignore_partitions->count() > 0;
    for (const std::string& limit : fail_above->results()) options.limits.push_back(parse_limit(limit));
    if (allow_noise->count() > 0) {
      if (options.limits.empty()) throw UsageError("--allow-noise has no effect without --fail-above PERCENT");
      options.allow_noise = sim::AllowNoise::kYes;
    }
    if (append->count() > 0) options.append_run = append->results().back();
    const bool has_scenario = app.get_option("--scenario")->count() > 0 || app.get_option("--set")->count() > 0;
    run_compare(options, has_scenario ? std::optional(scenario()) : std::nullopt, session);
  };
}

}  // namespace

extern const Command compare_command{
    .name = "compare",
    .summary = "Compare captures or predictions; fail above a limit, for CI",
    .setup = setup_compare,
    .examples = {"stepsim compare scenarios/samples/byteps-even --set network.bandwidth=2x",
                 "stepsim compare scenarios/samples/byteps-even scenarios/samples/byteps-even --fail-above 3%"},
};

}  // namespace stepsim::cli
