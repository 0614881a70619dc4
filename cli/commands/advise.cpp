// stepsim advise TRACE...: what would help most?

#include <CLI/CLI.hpp>

#include "cli/program/command.h"
#include "cli/program/options.h"
#include "cli/program/process.h"
#include "cli/program/terminal.h"
#include "cli/work/what_if_session.h"
#include "scenarios/advice/advice_document.h"

namespace stepsim::cli {
namespace {

scenarios::Advice advise_with_progress(WhatIfSession& what_if, const CommonOptions& options, const Session& session) {
  Progress progress = progress_of(options, session);
  progress.phase("trying", Progress::Clock::now(), "changes");
  return scenarios::advise(
      *what_if.predictor, what_if.calibration ? &*what_if.calibration : nullptr,
      {.threads = options.threads,
       .stop = &session.stop,
       .progress = [&progress](std::uint64_t done, std::uint64_t total) { progress.update(done, total); }});
}

void run_advise(CommonOptions options, std::size_t rows, const Session& session) {
  check_output(options);
  Result result;
  WhatIfSession& what_if = *result.keep(load_for_what_ifs(options, {}, session));
  const Provenance& provenance = result.keep(provenance_if_needed(options, session, inputs_of(what_if, {}, options)));
  limit_threads(options, session);
  const scenarios::Advice& advice = result.keep(advise_with_progress(what_if, options, session));
  const auto& findings = result.keep(scenarios::AdviceFindings{advice, rows});
  const sim::BarChart& chart = result.keep(scenarios::chart_of(advice));
  result.set(scenarios::advice_document(findings, provenance), {.provenance = provenance, .bars = &chart});
  report(std::move(result), options, session);
}

Command::Run setup_advise(CLI::App& app) {
  const auto common =
      add_common_options(app, {.command = "advise", .contents = {sim::Content::kDocument, sim::Content::kPicture}});
  const auto rows = add_rows_option(app, "Print the N best changes of each kind", 10);
  return [=](const Session& session) { run_advise(common(), rows(), session); };
}

}  // namespace

extern const Command advise_command{
    .name = "advise",
    .summary = "Try the usual improvements and rank them by the time they save",
    .setup = setup_advise,
    .examples = {"stepsim advise scenarios/samples/byteps-even --brief",
                 "stepsim advise scenarios/samples/byteps-even --rows 3"},
};

}  // namespace stepsim::cli
