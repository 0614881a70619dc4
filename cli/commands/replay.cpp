// stepsim replay TRACE...: can the model of this capture be trusted, and where does its time go?

#include <CLI/CLI.hpp>

#include "cli/program/command.h"
#include "cli/program/options.h"
#include "cli/work/work.h"
#include "sim/report/capture_documents.h"

namespace stepsim::cli {
namespace {

void run(const CommonOptions& options, bool tasks, const Session& session) {
  const Replayed replayed = load_and_replay(options, session, true);
  const Provenance provenance = provenance_if_needed(options, session, replayed.capture.inputs);
  sim::Findings findings = findings_of(replayed);
  findings.tasks_detail = tasks;
  sim::Document document = sim::replay_document(findings, provenance);
  report(document, answer_of(replayed, document, provenance), options, session);
}

Command::Run setup(CLI::App& app) {
  const auto common = add_common_options(app, writes_of_replay("replay"));
  const auto* tasks = app.add_flag("--tasks")->disable_flag_override()->description(
      "with --json or -o FILE.json: also every task's start and finish (tasks_detail)");
  return [=](const Session& session) { run(common(), tasks->count() > 0, session); };
}

}  // namespace

extern const Command replay_command;
const Command replay_command{
    .name = "replay",
    .summary = "Replay a capture: measured beside replayed, where the time goes, the critical path's summary",
    .setup = setup,
    .examples = {"stepsim replay scenarios/samples/byteps-even",
                 "stepsim replay scenarios/samples/byteps-even --network maxmin --brief"},
};

}  // namespace stepsim::cli
