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

/// Options of the commands on the results of inline profilers. Each add_ function declares an option on `app`. After
/// `app` has parsed, the returned function returns the option's value, or throws UsageError, which names the most
/// similar valid one.
namespace stepsim::cli {

/// Declares --mean KEY. It selects the statistic (median, ...) of the measurements that counts as the length of a range
/// or of an iteration.
[[nodiscard]] std::function<sim::RangeMean()> add_mean_option(CLI::App& app);
/// Declares --begin KEY. It selects the statistic (median, ...) of the measurements that counts as a range's start.
[[nodiscard]] std::function<sim::RangeMean()> add_begin_option(CLI::App& app);

/// Loads the results of an inline profiler, with progress on standard error. Throws what ingest::load_run() throws, and
/// UsageError for options that apply only to captures of steps: --job, --steps, --ranks, --network and --cluster.
[[nodiscard]] ingest::LoadedRun load_profiled_run(const std::vector<std::string>& traces, const CommonOptions& options,
                                                  const Session& session);

/// Loads results of an inline profiler like load_profiled_run(), or else a capture of steps, including the details that
/// a replay does not need.
[[nodiscard]] std::variant<ingest::LoadedRun, ingest::DetailedCapture> load_measured(
    const std::vector<std::string>& traces, const CommonOptions& options, const Session& session);

}  // namespace stepsim::cli

#endif
