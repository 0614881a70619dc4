#ifndef STEPSIM_CLI_WORK_PROFILES_H
#define STEPSIM_CLI_WORK_PROFILES_H

#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "cli/program/command.h"
#include "cli/program/options.h"
#include "ingest/load/profiles.h"
#include "sim/profile/range_summary.h"

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

/// Loads the results of an inline profiler, with progress on standard error. Throws what ingest::load_run() throws, and
/// UsageError for options that only captures of steps have: --job, --steps, --ranks, --network and --cluster.
[[nodiscard]] ingest::LoadedRun load_profiled_run(const std::vector<std::string>& traces, const CommonOptions& options,
                                                  const Session& session);

/// The same of profiles, or of any other capture with what it holds beside what a replay needs.
[[nodiscard]] std::variant<ingest::LoadedRun, ingest::DetailedCapture> load_measured(
    const std::vector<std::string>& traces, const CommonOptions& options, const Session& session);

}  // namespace stepsim::cli

#endif
