#include "cli/program/run_command.h"

#include <CLI/CLI.hpp>
#include <string>

#include "cli/program/arguments.h"
#include "cli/program/help.h"
#include "cli/program/output.h"
#include "cli/program/terminal.h"

namespace stepsim::cli {

void run_command(const Command& command, const Session& session) {
  CLI::App app{std::string(command.summary), "stepsim " + std::string(command.name)};
  const Command::Run run = command.setup(app);
  if (parse(app, session.arguments) == Parsed::kHelpWanted) {
    session.out.write(folded_help(app.help() + examples_of(command), help_width()));
  } else {
    run(session);
  }
}

}  // namespace stepsim::cli
