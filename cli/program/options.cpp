#include "cli/program/options.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <limits>
#include <thread>

#include "cli/program/arguments.h"
#include "model/base/error.h"
#include "model/base/limits.h"
#include "model/base/number.h"
#include "model/base/text.h"

namespace stepsim::cli {
namespace {

constexpr int kMostThreads = 1024;

/// Parses a whole decimal number without sign or blanks. Returns nothing for other text.
template <class Integer>
std::optional<Integer> unsigned_number(std::string_view text) {
  return text.starts_with('-') ? std::nullopt : parse_number<Integer>(text);
}

/// Parses "A-B" (A <= B) to the pair (A, B), and "A" to (A, A). Returns nothing for other text.
template <class Integer>
std::optional<std::pair<Integer, Integer>> parse_range(std::string_view text) {
  const std::size_t dash = text.find('-');
  const auto first = unsigned_number<Integer>(text.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : unsigned_number<Integer>(text.substr(dash + 1));
  return first && last && *first <= *last ? std::optional(std::pair(*first, *last)) : std::nullopt;
}

std::optional<std::string> value_of(const CLI::Option* option) {
  return option->count() == 0 ? std::nullopt : std::optional(option->results().back());
}

/// Returns the value of an option, or nothing if it was not given. Throws UsageError if the value is empty, as in
/// "--job=".
std::optional<std::string> name_of(const CLI::Option* option) {
  std::optional<std::string> value = value_of(option);
  if (value && value->empty()) {
    throw UsageError(fmt::format("{} is empty; expected {}", option->get_name(), option->get_type_name()));
  }
  return value;
}

/// Returns the names of the network models: "recorded, alpha_beta, maxmin".
std::string network_names() {
  return joined(network_models(), [](const NetworkModel* model) { return model->name; });
}

/// Returns `file`, the value of --cluster. Throws UsageError if it was given and `network` uses recorded durations,
/// because these need no cluster.
std::optional<std::string> cluster_of(std::optional<std::string> file, const NetworkModel& network) {
  if (file && network.make == nullptr) {
    throw UsageError(
        fmt::format("--cluster has no effect with --network {}; leave --network out, or choose another model: {}",
                    network.name, network_names()));
  }
  return file;
}

/// Returns the name of the network model: the value of --network; without it, maxmin if --cluster was given, otherwise
/// recorded. What-ifs also use maxmin by default.
std::string network_of(const CLI::Option* network, const CLI::Option* cluster) {
  return value_of(network).value_or(cluster->count() > 0 ? "maxmin" : "recorded");
}

int default_threads() { return std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, kMostThreads); }

std::vector<std::string> traces_of(const CLI::Option* option) {
  std::vector<std::string> traces = option->results();
  if (std::any_of(traces.begin(), traces.end(), [](const std::string& trace) { return trace.empty(); })) {
    throw UsageError(fmt::format("{} is empty; expected a file or a folder", option->get_name()));
  }
  return traces;
}

}  // namespace

std::pair<std::int64_t, std::int64_t> parse_steps(std::string_view text) {
  if (const auto range = parse_range<std::int64_t>(text)) {
    return *range;
  }
  throw UsageError(
      fmt::format("--steps: '{}' is not a range of steps; expected A-B with A <= B, or one number", shown(text)));
}

std::vector<Rank> parse_ranks(std::string_view text) {
  std::vector<Rank> ranks;
  for (const std::string_view part : parts_of(text, ',')) {
    const auto range = parse_range<Rank>(part);
    if (!range || range->second - range->first >= kMostRanks - std::ssize(ranks)) {
      throw UsageError(
          fmt::format("--ranks: '{}' is not a list of ranks; expected numbers and ranges like 0,2,4-7, at most {}",
                      shown(text), kMostRanks));
    }
    for (std::int64_t rank = range->first; rank <= range->second; ++rank) {
      ranks.push_back(static_cast<Rank>(rank));
    }
  }
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

int parse_threads(std::string_view text) {
  const std::optional<int> threads = unsigned_number<int>(text);
  if (!threads || *threads < 1 || *threads > kMostThreads) {
    throw UsageError(
        fmt::format("--threads: '{}' is not a number of threads; expected 1 to {}", shown(text), kMostThreads));
  }
  return *threads;
}

std::size_t parse_rows(std::string_view text) {
  if (text == "all") {
    return std::numeric_limits<std::size_t>::max();
  }
  if (const std::optional<std::size_t> rows = unsigned_number<std::size_t>(text)) {
    return *rows;
  }
  throw UsageError(fmt::format("--rows: '{}' is not a number of rows; expected a number or all", shown(text)));
}

std::function<std::size_t()> add_rows_option(CLI::App& app, std::string_view what, std::size_t otherwise,
                                             const std::string& names, std::string_view complete) {
  const auto* rows = app.add_option(names)->type_name("N")->description(
      fmt::format("{}, or all (default: {}; {})", what, otherwise, complete));
  return [rows, otherwise] { return rows->count() > 0 ? parse_rows(rows->results().back()) : otherwise; };
}

std::optional<std::size_t> rank_rows_of(std::size_t rows) {
  return rows == std::numeric_limits<std::size_t>::max() ? std::nullopt : std::optional{rows};
}

const NetworkModel& parse_network(std::string_view name) {
  if (const NetworkModel* const model = find_network_model(name)) {
    return *model;
  }
  std::vector<std::string> known;
  for (const NetworkModel* const model : network_models()) {
    known.emplace_back(model->name);
  }
  throw_unknown("--network model", name, known);
}

std::function<CommonOptions()> add_common_options(CLI::App& app, const Writes& writes, const std::string& operand) {
  const auto option = [&app](const char* names, const char* type, const std::string& description) {
    return app.add_option(names)->type_name(type)->description(description)->group(kCommonGroup);
  };
  const auto flag = [&app](const char* names, const char* description) {
    return app.add_flag(names)->disable_flag_override()->description(description)->group(kCommonGroup);
  };
  const auto* traces = app.add_option(operand)
                           ->type_name("FILE|FOLDER|-")
                           ->expected(1, CLI::detail::expected_max_vector_size)
                           ->allow_extra_args()
                           ->required()
                           ->description(
                               "Captures of one job: files, archives (.tar, .tar.gz, .zip), folders to search, or - "
                               "for standard input");
  const auto* job =
      option("--job", "FILE", "Read facts about the job that traces lack (default: job.yaml in or next to TRACE)");
  const auto* network = option("--network", "MODEL",
                               "Select the model of transfer times: " + network_names() +
                                   " (default: recorded; with --cluster, and for what-ifs if the link rates are "
                                   "known, maxmin)");
  const auto* cluster =
      option("--cluster", "FILE",
             "Read the hardware to replay on, a cluster.yaml (default: calibrated from the capture if "
             "--network names a model)");
  const auto* steps = option("--steps", "A-B", "Use only these steps (default: all whole steps)");
  const auto* ranks = option("--ranks", "LIST", "Use only these ranks, for example 0,2,4-7 (default: all)");
  const auto* threads = option("--threads", "N", "Use N threads; results stay the same (default: all cores)");
  const auto* json = flag("--json", "Print one JSON object instead of the report");
  const auto* brief = flag("--brief", "Print only the first lines of the report");
  const auto* full = flag("--full", "Print the whole names of kernels (default: the function and its operation)");
  const auto* color =
      option("--color", "WHEN", "Use bold type and colours: auto (on a terminal), always or never (default: auto)");
  const auto* anonymous =
      flag("--anonymous", "Name hosts host001, host002, ... and files without their folders, in every output");
  const auto* host_names =
      flag("--host-names", "Keep the names of hosts in pages and pictures (default: host001, host002, ...)");
  const auto* quiet = flag("--quiet", "Print no progress on standard error");
  flag(kVerbose, "Print the time of each stage on standard error");
  const auto* output = app.add_option("-o")->type_name("FILE")->description(output_help(writes))->group(kOutputGroup);
  return [=] {
    CommonOptions options;
    options.traces = traces_of(traces);
    options.job_file = name_of(job);
    options.network_given = network->count() > 0;
    options.network = &parse_network(network_of(network, cluster));
    options.cluster_file = cluster_of(name_of(cluster), *options.network);
    if (const auto text = value_of(steps)) {
      options.steps = parse_steps(*text);
    }
    if (const auto text = value_of(ranks)) {
      options.ranks = parse_ranks(*text);
    }
    const auto threads_text = value_of(threads);
    options.threads = threads_text ? parse_threads(*threads_text) : default_threads();
    options.json = json->count() > 0;
    options.brief = brief->count() > 0;
    options.full = full->count() > 0;
    options.anonymous = anonymous->count() > 0;
    options.host_names = host_names->count() > 0;
    if (options.anonymous && options.host_names)
      throw UsageError("--anonymous hides what --host-names keeps; give only one of them");
    if (options.brief && options.json) throw UsageError("--brief has no effect on --json; give only one of them");
    if (const auto text = value_of(color)) {
      options.color = parse_color(*text);
    }
    options.quiet = quiet->count() > 0;
    options.output = name_of(output);
    options.writes = writes;
    return options;
  };
}

std::vector<OptionHelp> common_options_help() {
  CLI::App app;
  static_cast<void>(add_common_options(app, {}));
  std::vector<OptionHelp> help;
  for (const CLI::Option* const option : app.get_options()) {
    if (option->get_group() == kCommonGroup) {
      help.push_back({option->get_name(false, true), option->get_expected_min() == 0 ? "" : option->get_type_name(),
                      option->get_description()});
    }
  }
  help.push_back({"-o", "FILE",
                  "Also write the result to FILE; the extension selects the form, and a further .gz compresses it. For "
                  "standard output give '-' as the name: -.csv, -.csv.gz; '-' alone means -.json"});
  return help;
}

void refuse_standard_input_twice(const std::vector<std::string>& traces, std::string_view what) {
  if (std::count(traces.begin(), traces.end(), "-") > 1) {
    throw UsageError(
        fmt::format("two {} are '-', but standard input can be read only once; expected a file for one of them", what));
  }
}

}  // namespace stepsim::cli
