// stepsim COMMAND [TRACE...] [options]: finds the command, parses its options, runs it, and
// turns whatever happens into one exit code and at most one line on standard error.

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/program/arguments.h"
#include "cli/program/command.h"
#include "cli/program/error.h"
#include "cli/program/help.h"
#include "cli/program/output.h"
#include "cli/program/signals.h"
#include "model/base/error.h"

namespace stepsim::cli {
namespace {

void run_command(const Command& command, const Session& session) {
  CLI::App app{std::string(command.summary), "stepsim " + std::string(command.name)};
  const Command::Run run = command.setup(app);
  if (parse(app, session.arguments) == Parsed::kHelpWanted) {
    session.out.write(app.help());
  } else {
    run(session);
  }
}

void run(const Session& session) {
  if (session.arguments.empty()) {
    session.out.write(program_help(commands()));
    session.out.flush();
    throw UsageError("no command given; expected one of those listed");
  }
  const std::string& word = session.arguments.front();
  if (word == "--help" || word == "-h" || word == "help") {
    session.out.write(program_help(commands()));
  } else if (word == "--version" || word == "-V") {
    session.out.write(program_version());
  } else {
    run_command(find_command(word, commands()), session);
  }
  session.out.flush();
}

}  // namespace

int run_program(int argc, char** argv) noexcept {
  reserve_standard_streams();
  const std::atomic<bool>& stop = install_signal_handlers();
  try {
    Output out;
    run({.arguments = {argv + (argc > 0 ? 1 : 0), argv + argc}, .out = out, .stop = stop});
    return static_cast<int>(ExitCode::kDone);
  } catch (...) {
    return static_cast<int>(report(std::current_exception()));
  }
}

}  // namespace stepsim::cli

int main(int argc, char** argv) { return stepsim::cli::run_program(argc, argv); }
