// stepsim whatif TRACE... [-s scenario.yaml] [--set k=v]...: what would an iteration take if?

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "cli/program/command.h"
#include "cli/program/options.h"
#include "cli/program/output.h"
#include "cli/report/whatif_report.h"
#include "cli/work/scenario_options.h"
#include "sim/export/document_exporter.h"
#include "sim/export/exporter.h"

namespace stepsim::cli {
namespace {

/// A trace of both replays, for timeline viewers.
bool is_trace(std::string_view path) { return path.ends_with(".trace.json"); }

WhatIfAnswer answer(Asked& asked, const scenarios::Scenario& scenario, const CommonOptions& options,
                    const Session& session) {
  const sim::EngineOptions engine{.threads = options.threads, .stop = &session.stop};
  WhatIfAnswer answer;
  answer.baseline = asked.predictor->predict(asked.predictor->plan(), engine);
  scenarios::Plan plan = asked.predictor->plan();
  for (const scenarios::Change& change : scenario.changes) {
    change.apply(plan);
    answer.changes.push_back(change.to_text());
  }
  answer.scenario = asked.predictor->predict(plan, engine);
  answer.interval = scenarios::interval_of(*asked.predictor, plan, answer.baseline, answer.scenario, engine);
  answer.name = scenario.name;
  answer.cluster = plan.cluster;
  answer.assumptions = answer.scenario.graph->assumptions;
  if (asked.calibration) append(answer.assumptions, asked.calibration->assumptions);
  append(answer.assumptions, plan.assumptions);
  return answer;
}

/// A Chrome trace or a document: by the extension.
void write_file(const std::string& path, const WhatIfAnswer& found, const sim::Document& document,
                const Provenance& provenance) {
  if (!is_trace(path)) return sim::export_document(path, document);
  const sim::Provenance origin = for_file(provenance);
  sim::export_beside(path, {*found.baseline.graph, found.baseline.timeline, origin},
                     {*found.scenario.graph, found.scenario.timeline, origin});
}

/// One answer is given here, and a sweep that was passed over would look like it.
void refuse_sweep(const scenarios::Scenario& scenario) {
  constexpr std::string_view kProblem =
      "the scenario is a sweep, whose points 'stepsim sweep' answers; expected one without 'sweep'";
  if (!scenario.sweep.empty()) scenario.sweep.front().values.fail(kProblem);
  if (!scenario.points.empty()) scenario.points.front().front().value.fail(kProblem);
}

void refuse_bad_output(const CommonOptions& options, const std::vector<std::string>& inputs) {
  if (!options.output) return;
  if (!is_trace(*options.output)) static_cast<void>(sim::document_exporter_for(*options.output));
  refuse_input_as_output(*options.output, inputs);
}

void run(const CommonOptions& options, const std::function<scenarios::Scenario()>& read_scenario,
         const Session& session) {
  const scenarios::Scenario scenario = read_scenario();
  refuse_sweep(scenario);
  refuse_bad_output(options, {});
  const std::unique_ptr<Asked> asked = load_for_what_ifs(options, scenario, session);
  const Provenance provenance = provenance_if_needed(options, session, asked->capture);
  refuse_bad_output(options, asked->capture.inputs);
  with_set_errors([&] {
    const WhatIfAnswer found = answer(*asked, scenario, options, session);
    const sim::Document document = whatif_document(*asked, found, provenance);
    if (options.output) write_file(*options.output, found, document, provenance);
    print_document(document, options, session);
  });
}

Command::Run setup(CLI::App& app) {
  const auto common = add_common_options(app);
  const auto scenario = add_scenario_options(app);
  return [=](const Session& session) { run(common(), scenario, session); };
}

}  // namespace

extern const Command whatif_command;
const Command whatif_command{
    .name = "whatif",
    .summary = "Predict an iteration under a scenario, beside the captured one and how well that is replayed",
    .setup = setup,
};

}  // namespace stepsim::cli
