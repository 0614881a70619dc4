#ifndef STEPSIM_CLI_PROGRAM_COMMAND_H
#define STEPSIM_CLI_PROGRAM_COMMAND_H

#include <array>
#include <atomic>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace stepsim::cli {

class Output;
class Stages;
struct Host;

/// The data that a program passes to the command it runs.
struct Session {
  std::vector<std::string> arguments;  ///< as typed, beginning with the command's name
  Output& out;                         ///< standard output, only for results
  const std::atomic<bool>& stop;       ///< set by Ctrl-C; long work then throws Interrupted
  Host* host = nullptr;      ///< the program that keeps the result (cli/work/result.h); null if the command prints it
  Stages* stages = nullptr;  ///< measures the command (cli/program/stages.h); null if nobody wants that
};

/// A command of the program. Each command is a .cpp file in commands/ and a line in commands/CMakeLists.txt, from which
/// CMake generates the table of commands(). For example, replay.cpp defines `extern const Command replay_command`.
struct Command {
  using Run = std::function<void(const Session&)>;

  std::string_view name;     ///< as typed: "critical-path"
  std::string_view summary;  ///< one line for help and docs
  /// Declares the options on `app`, which outlives the returned function. That function runs the command after `app`
  /// has parsed. It throws UsageError for wrong values, and InputError, OutputError or Interrupted if the work cannot
  /// be done.
  Run (*setup)(CLI::App& app) = nullptr;
  /// Example command lines in the command's help. They work on the sample capture, from the repository's root.
  std::array<std::string_view, 2> examples{};
};

/// Returns all registered commands, in the order of commands/CMakeLists.txt.
[[nodiscard]] std::span<const Command* const> commands();

}  // namespace stepsim::cli

#endif
