#ifndef STEPSIM_CLI_WORK_SCENARIO_OPTIONS_H
#define STEPSIM_CLI_WORK_SCENARIO_OPTIONS_H

#include <functional>
#include <string>

#include "scenarios/question/scenario.h"

namespace CLI {
class App;
}

namespace stepsim::cli {

/// Declares -s FILE, --set TEXT... (with the help `sets_description`), --machine FILE and --no-interference on `app`.
/// After `app` has parsed, the returned function returns the scenario of FILE with the changes of --set appended. It
/// throws InputError or UsageError.
[[nodiscard]] std::function<scenarios::Scenario()> add_scenario_options(CLI::App& app,
                                                                        const std::string& sets_description);

/// Calls `work`. If it throws an InputError about the text of a --set or --select, throws a UsageError that names the
/// option instead. A CannotAnswer about such a text stays a CannotAnswer, but also names the option.
void with_typed_errors(const std::function<void()>& work);

}  // namespace stepsim::cli

#endif
