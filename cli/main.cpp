// stepsim COMMAND [TRACE...] [options]: finds the command, parses its options and runs it. Every failure ends with an
// exit code and at most one line on standard error.

#include <string>
#include <vector>

#include "cli/commands/program.h"
#include "cli/program/error.h"
#include "cli/program/terminal.h"

namespace stepsim::cli {
namespace {

/// Functions in this section run before all constructors, including those of shared libraries.
[[gnu::section(".preinit_array"), gnu::used]] void (*run_before_constructors)() = install_last_resort;

int run_main(int argc, char** argv) noexcept {
  try {
    return run_program(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc));
  } catch (...) {  // no memory for the arguments
    return static_cast<int>(report(std::current_exception(), standard_error_style(ColorWhen::kAuto)));
  }
}

}  // namespace
}  // namespace stepsim::cli

int main(int argc, char** argv) { return stepsim::cli::run_main(argc, argv); }
