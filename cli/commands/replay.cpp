// stepsim replay TRACE...: can the model of this capture be trusted, and where does its time go?

#include <CLI/CLI.hpp>

#include "cli/program/command.h"
#include "cli/program/options.h"
#include "cli/program/output.h"
#include "cli/report/report_json.h"
#include "cli/report/report_text.h"
#include "cli/work/work.h"

namespace stepsim::cli {
namespace {

void run(const CommonOptions& options, bool tasks, const Session& session) {
  const Replayed replayed = load_and_replay(options, session);
  const sim::Summary summary = sim::summarize(replayed.capture, replayed.timeline);
  const NamedPath path = path_of_iteration(replayed, summary);
  const Provenance provenance = provenance_if_needed(options, session, replayed.capture);
  export_if_asked(options, replayed, provenance);
  if (options.json) {
    write_replay(session.out, replayed, summary, path, provenance, tasks);
  } else {
    session.out.write(replay_text(replayed, summary, path));
  }
}

Command::Run setup(CLI::App& app) {
  const auto common = add_common_options(app);
  const auto* tasks = app.add_flag("--tasks")->disable_flag_override()->description(
      "with --json: also every task's start and finish (tasks_detail)");
  return [=](const Session& session) { run(common(), tasks->count() > 0, session); };
}

}  // namespace

extern const Command replay_command;
const Command replay_command{
    .name = "replay",
    .summary = "Replay a capture: measured beside replayed, where the time goes, the critical path's summary",
    .setup = setup,
};

}  // namespace stepsim::cli
