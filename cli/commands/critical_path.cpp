// stepsim critical-path TRACE...: what sets the length of the replay, task by task?

#include <CLI/CLI.hpp>

#include "cli/program/command.h"
#include "cli/program/options.h"
#include "cli/program/output.h"
#include "cli/report/report_json.h"
#include "cli/report/report_text.h"
#include "cli/work/work.h"

namespace stepsim::cli {
namespace {

constexpr std::size_t kDefaultRows = 30;

void run(const CommonOptions& options, std::size_t rows, const Session& session) {
  const Replayed replayed = load_and_replay(options, session);
  const NamedPath path = path_of_iteration(replayed, sim::summarize(replayed.capture, replayed.timeline));
  const Provenance provenance = provenance_if_needed(options, session, replayed.capture);
  export_if_asked(options, replayed, provenance);
  if (options.json) {
    write_critical_path(session.out, replayed, path, provenance);
  } else {
    session.out.write(critical_path_text(replayed, path, rows));
  }
}

Command::Run setup(CLI::App& app) {
  const auto common = add_common_options(app);
  const auto* rows = app.add_option("--rows")->type_name("N")->description(
      "print the N longest tasks of the path, or all (default: 30; --json has all)");
  return [=](const Session& session) {
    run(common(), rows->count() > 0 ? parse_rows(rows->results().back()) : kDefaultRows, session);
  };
}

}  // namespace

extern const Command critical_path_command;
const Command critical_path_command{
    .name = "critical-path",
    .summary = "Show the chain of tasks that sets the replay's length, by class and by task, with queueing",
    .setup = setup,
};

}  // namespace stepsim::cli
