#include "cli/program/run_command.h"

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <string>

#include "cli/program/arguments.h"
#include "cli/program/terminal.h"
#include "model/base/version.h"

namespace stepsim::cli {
namespace {

/// The end of a command's help; empty if it has no examples.
std::string examples_of(const Command& command) {
  std::string text;
  for (const std::string_view example : command.examples) {
    if (!example.empty()) text += fmt::format("{}  {}\n", text.empty() ? "\nExamples:\n" : "", example);
  }
  return text;
}

}  // namespace

std::string program_help(std::span<const Command* const> commands) {
  std::size_t width = 0;
  for (const Command* command : commands) {
    width = std::max(width, command->name.size());
  }
  std::string text =
      "stepsim replays a captured training step of a distributed job.\n"
      "\n"
      "Usage: stepsim COMMAND [TRACE...] [options]\n"
      "\n"
      "Commands:\n";
  for (const Command* command : commands) {
    text += fmt::format("  {:<{}}  {}\n", command->name, width, command->summary);
  }
  text +=
      "\n"
      "  stepsim COMMAND --help   a command's options\n"
      "  stepsim help WORD        what a word means, or all words of a kind\n"
      "  stepsim --version        version and commit\n"
      "\n"
      "Kinds of words:\n";
  return text;
}

std::string exit_codes_help() {
  return "\n"
         "Results go to standard output, all else to standard error. Exit codes: 0 done, 1 the input cannot be used, 2 "
         "wrong usage, 3 a bug in stepsim, 4 compare --fail-above failed, 5 this capture cannot answer that question, "
         "130 interrupted.\n";
}

std::string program_version() { return fmt::format("stepsim {} (commit {})\n", version(), commit()); }

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
