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

/// The options that every command on traces takes, checked.
struct CommonOptions {
  std::vector<std::string> traces;                             ///< at least one, none empty
  bool untimed = false;                                        ///< graphs without any event will do; set by commands
  std::optional<std::string> job_file;                         ///< --job
  std::optional<std::pair<std::int64_t, std::int64_t>> steps;  ///< --steps, inclusive, ascending
  std::vector<Rank> ranks;                                     ///< --ranks, ascending, each once; empty = all
  bool network_given = false;                                  ///< whether --network was
  const NetworkModel* network = nullptr;                       ///< --network; never null
  std::optional<std::string> cluster_file;                     ///< --cluster; only with a network model
  int threads = 1;                                             ///< --threads; the machine's cores if not given
  bool json = false;                                           ///< --json
  bool brief = false;                                          ///< --brief: the first lines of the report only
  ColorWhen color = ColorWhen::kAuto;                          ///< --color
  bool quiet = false;                                          ///< --quiet: no progress
  std::optional<std::string> output;                           ///< -o; check_output() says whether it fits
  Writes writes;                                               ///< what the command can write there
};

/// Declares TRACE... and the common options on `app`, whose help ends with the extensions of -o. Once
/// `app` has parsed, the returned function gives their values, or throws UsageError that names the
/// option as typed.
[[nodiscard]] std::function<CommonOptions()> add_common_options(CLI::App& app, const Writes& writes);

/// "4-6" or "4": step numbers, inclusive. Throws UsageError.
[[nodiscard]] std::pair<std::int64_t, std::int64_t> parse_steps(std::string_view text);

/// "0,2,4-7" as 0 2 4 5 6 7. Throws UsageError; more than 1,000,000 ranks are one.
[[nodiscard]] std::vector<Rank> parse_ranks(std::string_view text);

/// "1" to "1024". Throws UsageError.
[[nodiscard]] int parse_threads(std::string_view text);

/// How many rows of a table to print: "30", or "all". Throws UsageError.
[[nodiscard]] std::size_t parse_rows(std::string_view text);

/// Declares --rows N, whose help is "`what`, or all (default: `otherwise`; `complete`)". Once `app` has parsed, the
/// returned function gives the value, or throws UsageError.
[[nodiscard]] std::function<std::size_t()> add_rows_option(CLI::App& app, std::string_view what, std::size_t otherwise,
                                                           const std::string& names = "--rows",
                                                           std::string_view complete = "--json has all");

/// Throws UsageError if more than one of `traces` is "-"; `what` names them: "inputs".
void refuse_standard_input_twice(const std::vector<std::string>& traces, std::string_view what);

/// Throws UsageError, naming the nearest one, unless `name` is a network model.
[[nodiscard]] const NetworkModel& parse_network(std::string_view name);

}  // namespace stepsim::cli

#endif
