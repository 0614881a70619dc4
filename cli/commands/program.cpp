#include "cli/commands/program.h"

#include <exception>
#include <functional>

#include "cli/commands/schemas.h"
#include "cli/help/topics.h"
#include "cli/program/arguments.h"
#include "cli/program/command.h"
#include "cli/program/error.h"
#include "cli/program/process.h"
#include "cli/program/run_command.h"
#include "cli/program/terminal.h"
#include "model/base/error.h"
#include "model/base/text.h"

namespace stepsim::cli {
namespace {

std::string whole_help() {
  return folded_help(program_help(commands()) + list_of_kinds() + exit_codes_help(), help_width());
}

/// Returns the output of `stepsim help TOPIC [--json]`. A topic may consist of several words: "stepsim help H100 SXM".
std::string help_on(std::vector<std::string> words) {
  const bool json = std::erase(words, "--json") > 0;
  const std::string topic = joined(words, std::identity{}, " ");
  return json ? topics_as_json(topic, commands()) : folded_help(explain(topic, commands()), help_width());
}

void run_words(const Session& session) {
  if (session.arguments.empty()) {
    session.out.write(whole_help());
    session.out.flush();
    throw UsageError("no command given; choose one of the list above");
  }
  const std::string& word = session.arguments.front();
  if (word == "help" && session.arguments.size() > 1) {
    session.out.write(help_on({session.arguments.begin() + 1, session.arguments.end()}));
  } else if (word == "--help" || word == "-h" || word == "help") {
    session.out.write(whole_help());
  } else if (word == "--version" || word == "-V" || word == "version") {
    session.out.write(program_version());
  } else if (word == "--json-schema") {
    const std::string kind = session.arguments.size() > 1 ? session.arguments[1] : "answers";
    session.out.write(kind == "--help" || kind == "-h" ? whole_help() : json_schema(kind));
  } else {
    run_command(find_command(word, commands()), session);
  }
  session.out.flush();
}

}  // namespace

int run_program(const std::vector<std::string>& arguments) noexcept {
  reserve_standard_streams();
  const std::atomic<bool>& stop = install_signal_handlers();
  sim::TextStyle errors = standard_error_style(ColorWhen::kAuto);
  try {
    Output out;
    errors = standard_error_style(color_wanted(arguments));
    run_words({.arguments = arguments, .out = out, .stop = stop});
    return static_cast<int>(ExitCode::kDone);
  } catch (...) {
    return static_cast<int>(report(std::current_exception(), errors));
  }
}

}  // namespace stepsim::cli
