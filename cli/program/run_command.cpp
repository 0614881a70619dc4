#include "cli/program/run_command.h"

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <string>

#include "cli/program/arguments.h"
#include "cli/program/options.h"
#include "cli/program/stages.h"
#include "cli/program/terminal.h"
#include "model/base/text.h"
#include "model/base/version.h"

namespace stepsim::cli {
namespace {

constexpr std::size_t kMostNameWidth = 26;  ///< the text of a longer name is on the next line

std::string examples_of(const Command& command) {
  std::string text;
  for (const std::string_view example : command.examples) {
    if (!example.empty()) text += fmt::format("{}  {}\n", text.empty() ? "\nExamples:\n" : "", example);
  }
  return text;
}

/// Returns an option's names and value: "--rows,--head N".
std::string name_of(const CLI::Option& option) {
  const bool is_flag = option.get_expected_max() == 0;
  return option.get_name(false, true) + (is_flag ? "" : " " + option.get_type_name());
}

/// Returns an option's line in the help: "  --steps A-B  Use only these steps\n".
std::string line_of(const CLI::Option& option) {
  const std::string name = name_of(option);
  if (name.size() > kMostNameWidth)
    return fmt::format("  {}\n  {:<{}}  {}\n", name, "", kMostNameWidth, option.get_description());
  return fmt::format("  {:<{}}  {}\n", name, kMostNameWidth, option.get_description());
}

/// Returns the option part of a command's help: the help of its own options and of -o, then only the names of the
/// options that all commands on traces share.
std::string options_of(const CLI::App& app) {
  std::string own;
  std::string output;
  std::string common;
  for (const CLI::Option* const option : app.get_options()) {
    if (option == app.get_help_ptr() || !option->nonpositional()) continue;
    const std::string group = option->get_group();
    if (group == kCommonGroup) {
      add_item(common, name_of(*option));
    } else {
      (group == kOutputGroup ? output : own) += line_of(*option);
    }
  }
  const std::string in_short =
      common.empty() ? "" : fmt::format("\nCommon options ('stepsim help options'):\n  {}\n", common);
  return fmt::format("\nOptions:\n{}{}{}", own, output, in_short);
}

/// Returns the output of `stepsim COMMAND --help`.
std::string command_help(const CLI::App& app, const Command& command) {
  std::string usage = " [options]";
  std::string arguments;
  for (const CLI::Option* const option : app.get_options()) {
    if (option->nonpositional()) continue;
    const std::string name = option->get_name(true);
    const std::string_view more = option->get_expected_max() > 1 ? "..." : "";
    usage =
        name == "COMMAND" ? fmt::format(" [options] -- {}{}", name, more) : fmt::format(" {}{} [options]", name, more);
    arguments += fmt::format("  {:<{}}  {}\n", name, kMostNameWidth, option->get_description());
  }
  if (!arguments.empty()) arguments.insert(0, "\nArguments:\n");
  const std::string footer = app.get_footer().empty() ? "" : "\n" + app.get_footer();
  return fmt::format("{}\n\nUsage: {}{}\n{}{}{}{}", command.summary, app.get_name(), usage, examples_of(command),
                     arguments, options_of(app), footer);
}

/// Runs the command, and then prints the times of its stages if --verbose was given.
void run_measured(const CLI::App& app, const Command::Run& run, const Session& session) {
  const CLI::Option* const verbose = app.get_option_no_throw("--verbose");
  if (verbose == nullptr || verbose->count() == 0 || session.host != nullptr) return run(session);
  Stages stages;
  Session measured{session.arguments, session.out, session.stop, session.host, &stages};
  run(measured);
  session.out.flush();
  write_error(stages.end());
}

}  // namespace

std::string program_help(std::span<const Command* const> commands) {
  std::size_t width = 0;
  for (const Command* command : commands) {
    width = std::max(width, command->name.size());
  }
  std::string text =
      "stepsim replays captured training steps of distributed jobs and predicts what changes would do.\n"
      "\n"
      "Usage: stepsim COMMAND TRACE... [options]\n"
      "\n"
      "Commands:\n";
  for (const Command* command : commands) {
    text += fmt::format("  {:<{}}  {}\n", command->name, width, command->summary);
  }
  text +=
      "\n"
      "  stepsim COMMAND --help   Show examples and options of a command\n"
      "  stepsim help TOPIC       Explain a word, for example 'stepsim help idle', or list a kind of words\n"
      "  stepsim --version        Print version and commit\n"
      "  stepsim --json-schema    Print the JSON Schema of --json, or of: scenario, job, cluster, machine,\n"
      "                           ranges\n"
      "\n"
      "Help topics:\n";
  return text;
}

std::string exit_codes_help() {
  return "\n"
         "Results go to standard output, everything else to standard error.\n"
         "Exit codes: 0 done, 1 unusable input, 2 wrong usage, 3 bug in stepsim, 4 compare --fail-above failed, 5 this "
         "capture cannot answer the question, 130 interrupted.\n";
}

std::string program_version() { return fmt::format("stepsim {} (commit {})\n", version(), commit()); }

void run_command(const Command& command, const Session& session) {
  CLI::App app{std::string(command.summary), "stepsim " + std::string(command.name)};
  const Command::Run run = command.setup(app);
  if (parse(app, session.arguments) == Parsed::kHelpWanted) {
    session.out.write(folded_help(command_help(app, command), help_width()));
  } else {
    run_measured(app, run, session);
  }
}

}  // namespace stepsim::cli
