// stepsim whatif TRACE... [-s scenario.yaml] [--set k=v]...: how long would an iteration take with these changes?

#include <CLI/CLI.hpp>
#include <functional>

#include "cli/program/command.h"
#include "cli/program/options.h"
#include "cli/program/stages.h"
#include "cli/program/terminal.h"
#include "cli/work/scenario_options.h"
#include "cli/work/what_if_session.h"
#include "scenarios/answer/what_if_document.h"
#include "scenarios/question/scenario.h"

namespace stepsim::cli {
namespace {

/// Throws InputError if the scenario is a sweep, because `whatif` gives one answer. An answer for only one point of the
/// sweep would look as if this point were the best one.
void refuse_sweep(const scenarios::Scenario& scenario) {
  constexpr std::string_view kProblem = "the scenario is a sweep; expected one value per parameter, or 'stepsim sweep'";
  if (!scenario.sweep.empty()) scenario.sweep.front().values.fail(kProblem);
  if (!scenario.points.empty()) scenario.points.front().front().value.fail(kProblem);
}

scenarios::WhatIfAnswer answer_with_progress(WhatIfSession& what_if, const scenarios::Scenario& scenario,
                                             const CommonOptions& options, const Session& session) {
  Progress progress = progress_of(options, session);
  progress.phase("predicting");
  scenarios::ReplayMeter meter({.threads = options.threads, .stop = &session.stop},
                               [&progress](std::uint64_t done, std::uint64_t total) { progress.update(done, total); });
  return scenarios::answer_of(*what_if.predictor, scenario, what_if.calibration ? &*what_if.calibration : nullptr,
                              meter);
}

void run_whatif(const CommonOptions& options, const std::function<scenarios::Scenario()>& read_scenario,
                const Session& session) {
  const scenarios::Scenario scenario = read_scenario();
  with_typed_errors([&scenario] { refuse_sweep(scenario); });
  check_output(options);
  Result result;
  WhatIfSession& what_if = *result.keep(load_for_what_ifs(options, scenario, session));
  const Provenance& provenance =
      result.keep(provenance_if_needed(options, session, inputs_of(what_if, scenario, options)));
  with_typed_errors([&] {
    const scenarios::WhatIfAnswer& answer = result.keep(answer_with_progress(what_if, scenario, options, session));
    begin_stage(session, "analysing");
    const scenarios::Prediction& baseline = answer.baseline.prediction;
    const scenarios::Prediction& predicted = answer.scenario.prediction;
    result.set(scenarios::what_if_document(answer, provenance),
               {.provenance = provenance,
                .replays = {{"baseline", *baseline.graph, baseline.timeline},
                            {"scenario", *predicted.graph, predicted.timeline}},
                .cluster = &answer.cluster,
                .scenario = result.keep(scenarios::changes_yaml(scenario))});
    report(std::move(result), options, session);
  });
}

Command::Run setup_whatif(CLI::App& app) {
  const auto common =
      add_common_options(app, {.command = "whatif",
                               .contents = {sim::Content::kDocument, sim::Content::kTimeline, sim::Content::kTaskGraph,
                                            sim::Content::kPicture, sim::Content::kScenario},
                               .cluster = HasCluster::kIfKnown});
  const auto scenario =
      add_scenario_options(app, "Change one parameter, for example network.bandwidth=2x; may be repeated");
  return [=](const Session& session) { run_whatif(common(), scenario, session); };
}

}  // namespace

extern const Command whatif_command{
    .name = "whatif",
    .summary = "Predict the step time after a change",
    .setup = setup_whatif,
    .examples = {"stepsim whatif scenarios/samples/byteps-even --set network.bandwidth=2x",
                 "stepsim whatif scenarios/samples/byteps-even --set compute.scale=0.5 --brief"},
};

}  // namespace stepsim::cli
