#ifndef STEPSIM_CLI_WORK_SCENARIO_OPTIONS_H
#define STEPSIM_CLI_WORK_SCENARIO_OPTIONS_H

#include <functional>
#include <string>

#include "scenarios/question/scenario.h"

namespace CLI {
class App;
}

namespace stepsim::cli {

/// Declares -s FILE, --set TEXT... (with the help `sets_description`) and --no-interference on `app`. After `app` has
/// parsed, the returned function reads the scenario and appends the sets. Throws InputError, UsageError.
[[nodiscard]] std::function<scenarios::Scenario()> add_scenario_options(CLI::App& app,
                                                                        const std::string& sets_description);

/// Calls `work`. Turns an InputError in a --set or --select into a UsageError that names the option; a CannotAnswer is
/// unchanged.
void with_typed_errors(const std::function<void()>& work);

}  // namespace stepsim::cli

#endif
