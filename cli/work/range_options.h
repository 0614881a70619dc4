#ifndef STEPSIM_CLI_WORK_RANGE_OPTIONS_H
#define STEPSIM_CLI_WORK_RANGE_OPTIONS_H

#include <functional>

#include "sim/profile/range_mean.h"

namespace CLI {
class App;
}

/// Options of the commands on inline profiles. Once `app` has parsed, the returned function gives the value, or throws
/// UsageError that names the nearest.
namespace stepsim::cli {

/// --mean KEY: one figure for how long a range, or an iteration, takes.
[[nodiscard]] std::function<sim::RangeMean()> add_mean_option(CLI::App& app);
/// --begin KEY: one for when it begins.
[[nodiscard]] std::function<sim::RangeMean()> add_begin_option(CLI::App& app);

}  // namespace stepsim::cli

#endif
