// stepsim critical-path TRACE...: what determines the length of the replay, task by task?

#include <CLI/CLI.hpp>

#include "cli/program/command.h"
#include "cli/program/options.h"
#include "cli/work/work.h"
#include "sim/report/capture_documents.h"

namespace stepsim::cli {
namespace {

void run_critical_path(CommonOptions options, std::size_t rows, const Session& session) {
  if (rank_rows_of(rows)) options.rank_rows = kRankRows;
  Result result;
  const Replayed& replayed = result.keep(load_and_replay(options, session, true));
  const Provenance& provenance = result.keep(provenance_if_needed(options, session, replayed.capture.inputs));
  sim::Findings& findings = result.keep(findings_of(replayed));
  findings.path_rows = rows;
  result.set(sim::critical_path_document(findings, provenance), answer_of(replayed, provenance));
  report(std::move(result), options, session);
}

Command::Run setup_critical_path(CLI::App& app) {
  const auto common = add_common_options(app, writes_of_replay("critical-path"));
  const auto rows = add_rows_option(app, "Print the N longest tasks of the path", 30);
  return [=](const Session& session) { run_critical_path(common(), rows(), session); };
}

}  // namespace

extern const Command critical_path_command{
    .name = "critical-path",
    .summary = "List the tasks on the critical path of a step",
    .setup = setup_critical_path,
    .examples = {"stepsim critical-path scenarios/samples/byteps-even --rows 5",
                 "stepsim critical-path scenarios/samples/byteps-even --steps 5-6 --json"},
};

}  // namespace stepsim::cli
