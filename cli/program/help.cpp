#include "cli/program/help.h"

#include <fmt/core.h>

#include <algorithm>

#include "model/base/version.h"

namespace stepsim::cli {

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
      "  stepsim --version        version and commit\n"
      "\n"
      "Results go to standard output, all else to standard error. Exit codes: 0 done, 1 the\n"
      "input cannot be used, 2 wrong usage, 3 a bug in stepsim, 4 compare --fail-above failed,\n"
      "5 this capture cannot answer that question, 130 interrupted.\n";
  return text;
}

std::string program_version() { return fmt::format("stepsim {} (commit {})\n", version(), commit()); }

}  // namespace stepsim::cli
