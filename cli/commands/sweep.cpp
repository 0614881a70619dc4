// stepsim sweep TRACE... -s sweep.yaml [--set k=v]...: which of these would be best, and what is enough?

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <numeric>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/scenario_options.h"
#include "cli/sweep_answer.h"
#include "cli/threads.h"
#include "model/error.h"
#include "scenarios/knee.h"
#include "sim/export/document_exporter.h"
#include "sim/export/json_writer.h"
#include "sim/report/summary.h"

namespace stepsim::cli {
namespace {

using scenarios::Outcome;

/// How the work is done; nothing of it is in a result.
constexpr std::array<std::string_view, 5> kNotOfTheResult{"--threads", "--quiet", "--json", "-o", "--help"};

void set_baseline(SweepHead& head, Asked& asked, const sim::EngineOptions& engine) {
  const scenarios::Prediction baseline = asked.predictor->predict(asked.predictor->plan(), engine);
  const sim::Summary summary = sim::summarize(*baseline.graph, baseline.timeline);
  head.baseline = baseline.iteration;
  if (summary.measured) head.measured = summary.iteration.measured;
  head.assumptions = baseline.graph->assumptions;
}

SweepHead head_of(Asked& asked, const scenarios::Scenario& scenario, const scenarios::Sweep& sweep,
                  const sim::EngineOptions& engine) {
  SweepHead head;
  set_baseline(head, asked, engine);
  const auto assume = [&head](const std::vector<std::string>& more) {
    head.assumptions.insert(head.assumptions.end(), more.begin(), more.end());
  };
  if (asked.calibration) assume(asked.calibration->assumptions);
  assume(sweep.assumptions());
  head.name = scenario.name;
  head.network = asked.network->name;
  for (const scenarios::Change& change : scenario.changes) head.changes.push_back(change.to_text());
  head.points = sweep.points();
  return head;
}

void predict_points(scenarios::Sweep& sweep, std::vector<Outcome>& outcomes, const CommonOptions& options,
                    const Session& session) {
  std::vector<std::size_t> which(outcomes.size());
  std::iota(which.begin(), which.end(), std::size_t{0});
  Progress progress(options.quiet);
  progress.phase("sweeping");
  std::size_t done = 0;
  const auto take = [&](std::size_t point, const Outcome& outcome) {
    outcomes[point] = outcome;
    progress.update(++done, which.size());
  };
  sweep.run(which, {.threads = options.threads, .stop = &session.stop, .done = take});
}

/// Where no point can be had there is no answer.
void refuse_if_none(const SweepAnswer& answer) {
  if (scenarios::best_point(answer.outcomes)) return;
  throw UsageError(fmt::format("none of the {} points can be had; the first: {}", answer.outcomes.size(),
                               answer.outcomes.front().problem));
}

void report(const SweepAnswer& answer, const CommonOptions& options, const Session& session) {
  refuse_if_none(answer);
  const sim::Document document = sweep_document(answer);
  if (options.output) sim::export_document(*options.output, document);
  if (options.json) {
    sim::JsonWriter json;
    document.json(json);
    session.out.write(json.take() + "\n");
  } else {
    session.out.write(sim::to_text(document));
  }
}

void refuse_no_sweep(const scenarios::Scenario& scenario) {
  if (!scenario.sweep.empty() || !scenario.points.empty()) return;
  throw UsageError(
      "no sweep is asked for; expected -s FILE with a grid such as 'sweep: {network.bandwidth: [1x, 2x]}'");
}

void run(CommonOptions options, const scenarios::Scenario& scenario, std::span<const std::string> arguments,
         const Session& session) {
  refuse_no_sweep(scenario);
  if (options.output) static_cast<void>(sim::document_exporter_for(*options.output));
  const std::unique_ptr<Asked> asked = load_for_what_ifs(options, session);
  const auto limit = limit_threads(options.threads);
  with_set_errors([&] {
    scenarios::Sweep sweep(*asked->predictor, scenario);
    SweepAnswer answer;
    answer.head = head_of(*asked, scenario, sweep, {.threads = options.threads, .stop = &session.stop});
    std::vector<std::string> inputs = asked->capture.inputs;
    for (const auto& document : scenario.documents) {
      if (!document->name.starts_with("--set ")) inputs.push_back(document->name);
    }
    answer.head.provenance = make_provenance(arguments, inputs);
    if (options.output) refuse_input_as_output(*options.output, inputs);
    answer.outcomes.resize(sweep.points().size());
    predict_points(sweep, answer.outcomes, options, session);
    report(answer, options, session);
  });
}

Command::Run setup(CLI::App& app) {
  const auto common = add_common_options(app);
  const auto scenario = add_scenario_options(app);
  return [=, &app](const Session& session) {
    run(common(), scenario(), arguments_in_order(app, session.arguments.front(), kNotOfTheResult), session);
  };
}

}  // namespace

extern const Command sweep_command;
const Command sweep_command{
    .name = "sweep",
    .summary = "Predict an iteration at every point of a grid, and say which is best and where more buys little",
    .setup = setup,
};

}  // namespace stepsim::cli
