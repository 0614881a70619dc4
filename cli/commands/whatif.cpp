// stepsim whatif TRACE... [-s scenario.yaml] [--set k=v]...: what would an iteration take if?

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "cli/command.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/scenario_options.h"
#include "cli/whatif_report.h"

namespace stepsim::cli {
namespace {

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
  answer.assumptions = plan.assumptions;
  return answer;
}

void run(const CommonOptions& options, const std::function<scenarios::Scenario()>& read_scenario,
         const Session& session) {
  const scenarios::Scenario scenario = read_scenario();
  const std::unique_ptr<Asked> asked = load_for_what_ifs(options, session);
  const Provenance provenance = provenance_if_needed(options, session, asked->capture);
  with_set_errors([&] {
    const WhatIfAnswer found = answer(*asked, scenario, options, session);
    if (options.json) {
      write_whatif(session.out, *asked, found, provenance);
    } else {
      session.out.write(whatif_text(*asked, found));
    }
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
