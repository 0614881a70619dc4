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

/// Options of the commands on inline profiles. After `app` has parsed, the returned function returns the value, or
/// throws UsageError with the nearest valid one.
namespace stepsim::cli {

/// --mean KEY: how to summarize the lengths of a range or an iteration.
[[nodiscard]] std::function<sim::RangeMean()> add_mean_option(CLI::App& app);
/// --begin KEY: how to summarize the begins of a range.
[[nodiscard]] std::function<sim::RangeMean()> add_begin_option(CLI::App& app);

/// Loads the results of an inline profiler, with progress on standard error. Throws what ingest::load_run() throws, and
/// UsageError for options that apply only to captures of steps: --job, --steps, --ranks, --network and --cluster.
[[nodiscard]] ingest::LoadedRun load_profiled_run(const std::vector<std::string>& traces, const CommonOptions& options,
                                                  const Session& session);

/// Loads profiles like load_profiled_run(), or any other capture including the details that a replay does not need.
[[nodiscard]] std::variant<ingest::LoadedRun, ingest::DetailedCapture> load_measured(
    const std::vector<std::string>& traces, const CommonOptions& options, const Session& session);

}  // namespace stepsim::cli

#endif
