#ifndef STEPSIM_CLI_PROGRAM_OPTIONS_H
#define STEPSIM_CLI_PROGRAM_OPTIONS_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/program/output_rule.h"
#include "cli/program/terminal.h"
#include "model/base/id.h"
#include "model/cost/network/network.h"

namespace CLI {
class App;
}

namespace stepsim::cli {

/// The checked values of the options that all commands on traces share.
struct CommonOptions {
  std::vector<std::string> traces;                             ///< at least one, none empty
  bool untimed = false;                                        ///< accept graphs without any event; set by commands
  std::optional<std::string> job_file;                         ///< --job
  std::optional<std::pair<std::int64_t, std::int64_t>> steps;  ///< --steps, inclusive, ascending
  std::vector<Rank> ranks;                                     ///< --ranks, ascending, each once; empty = all
  bool network_given = false;                                  ///< --network was given
  const NetworkModel* network = nullptr;                       ///< --network; never null
  std::optional<std::string> cluster_file;                     ///< --cluster; only with a network model
  int threads = 1;                                             ///< --threads; the machine's cores if not given
  bool json = false;                                           ///< --json
  bool brief = false;                                          ///< --brief: print only the first lines of the report
  bool full = false;                                           ///< --full: print whole names of kernels
  std::optional<std::size_t> rank_rows;                        ///< rows of long tables of ranks; all if absent
  bool anonymous = false;                                      ///< --anonymous: no host names and folders in answers
  bool host_names = false;                                     ///< --host-names: also in pages and pictures
  ColorWhen color = ColorWhen::kAuto;                          ///< --color
  bool quiet = false;                                          ///< --quiet: no progress
  std::optional<std::string> output;                           ///< -o; check_output() checks it
  Writes writes;                                               ///< what the command can write to -o
};

/// The groups of options that add_common_options() declares. The help of a command lists the options of kCommonGroup
/// only by name.
inline constexpr const char* kCommonGroup = "Common options";
inline constexpr const char* kOutputGroup = "Output";

/// The names of the common option after which run_command() prints the time of each stage.
inline constexpr const char* kVerbose = "-v,--verbose";

/// Declares TRACE..., under the name `operand`, and the common options on `app`. After `app` has parsed, the returned
/// function returns their values, or throws UsageError, which names the option as typed.
[[nodiscard]] std::function<CommonOptions()> add_common_options(CLI::App& app, const Writes& writes,
                                                                const std::string& operand = "TRACE");

struct OptionHelp {
  std::string name;   ///< for example "--steps" or "-v,--verbose"
  std::string value;  ///< for example "A-B"; empty for a flag
  std::string text;
};
/// Returns the names and descriptions of the common options, for `stepsim help options`.
[[nodiscard]] std::vector<OptionHelp> common_options_help();

/// Parses a range of steps, "4-6" or "4", and returns its first and last step. Throws UsageError.
[[nodiscard]] std::pair<std::int64_t, std::int64_t> parse_steps(std::string_view text);

/// Parses "0,2,4-7" to 0 2 4 5 6 7. Throws UsageError, also for more than 1,000,000 ranks.
[[nodiscard]] std::vector<Rank> parse_ranks(std::string_view text);

/// Parses a number of threads from 1 to 1024. Throws UsageError.
[[nodiscard]] int parse_threads(std::string_view text);

/// Parses the number of table rows to print: "30", or "all" for the largest std::size_t. Throws UsageError.
[[nodiscard]] std::size_t parse_rows(std::string_view text);

/// Declares --rows N, with the help "`what`, or all (default: `otherwise`; `complete`)". After `app` has parsed, the
/// returned function returns the value, or throws UsageError.
[[nodiscard]] std::function<std::size_t()> add_rows_option(CLI::App& app, std::string_view what, std::size_t otherwise,
                                                           const std::string& names = "--rows",
                                                           std::string_view complete = "--json has all");

/// The number of ranks of a long table that are printed (sim/report/table.h) by commands without an option for it.
inline constexpr std::size_t kRankRows = 5;
/// Returns `rows` for long tables of ranks, or nothing if `rows` means all.
[[nodiscard]] std::optional<std::size_t> rank_rows_of(std::size_t rows);

/// Throws UsageError if more than one of `traces` is "-". `what` is the word for them in the message: "inputs".
void refuse_standard_input_twice(const std::vector<std::string>& traces, std::string_view what);

/// Returns the network model called `name`. Throws UsageError with the nearest name if there is none.
[[nodiscard]] const NetworkModel& parse_network(std::string_view name);

}  // namespace stepsim::cli

#endif
