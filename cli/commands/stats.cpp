// stepsim stats TRACE...: how long did each kind of work take, as measured?

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cli/program/arguments.h"
#include "cli/program/command.h"
#include "cli/program/options.h"
#include "cli/work/profiles.h"
#include "cli/work/scenario_options.h"
#include "cli/work/work.h"
#include "model/base/error.h"
#include "model/base/text.h"
#include "model/calibration/data_sheet.h"
#include "model/job/group.h"
#include "scenarios/question/scenario.h"
#include "sim/report/headline.h"
#include "sim/stats/collectives_document.h"
#include "sim/stats/statistics.h"
#include "sim/stats/stats_document.h"

namespace stepsim::cli {
namespace {

struct StatsCommand {
  CommonOptions common;
  sim::StatsOptions what;
  std::optional<std::string> select;  ///< the text of --select
  bool kernels = false;               ///< --kernels
  bool collectives = false;           ///< --collectives
  std::size_t rows = 0;
  bool join = false;  ///< all TRACEs belong to one job
};

/// Returns all work on device streams but copies and memsets. These are the kernels that `nsys stats cuda_gpu_kern_sum`
/// lists.
std::vector<TaskId> kernels_of(const Capture& capture) {
  const Dag& dag = capture.dag;
  std::vector<TaskId> kernels;
  for (const TaskId task : dag.tasks()) {
    const TaskKind kind = dag.kind(task);
    const bool is_kernel = kind == TaskKind::kKernel || kind == TaskKind::kCollective || kind == TaskKind::kTransfer;
    if (is_kernel && dag.lane(task).kind == LaneKind::kStream) kernels.push_back(task);
  }
  if (kernels.empty()) {
    throw CannotAnswer({capture.inputs.empty() ? std::string() : capture.inputs.front().name, {}, {}},
                       "--kernels: no kernel was recorded; expected a profile of a GPU");
  }
  return kernels;
}

/// Returns what to count in this capture.
sim::StatsOptions selected_in(const Capture& capture, const StatsCommand& command) {
  sim::StatsOptions what = command.what;
  if (command.kernels) {
    what.selected = kernels_of(capture);
    what.selection = "kernels";
  } else if (command.select) {
    const scenarios::TypedSelection typed = scenarios::parse_selection(*command.select);
    what.selected = typed.selector.select(capture);
    what.selection = typed.selector.to_text();
  }
  return what;
}

sim::Statistics statistics_of(const StatsCommand& command, const std::vector<std::string>& traces,
                              const Session& session, std::vector<InputFile>& inputs) {
  const auto loaded = load_measured(traces, command.common, session);
  if (const auto* const profiled = std::get_if<ingest::LoadedRun>(&loaded)) {
    if (command.kernels || command.select) {
      throw UsageError(
          "--select and --kernels select tasks of a capture, and an inline profile has ranges; expected --by");
    }
    inputs.insert(inputs.end(), profiled->inputs.begin(), profiled->inputs.end());
    return sim::statistics_of(profiled->run, command.what);
  }
  const auto& [capture, details] = std::get<ingest::DetailedCapture>(loaded);
  inputs.insert(inputs.end(), capture.inputs.begin(), capture.inputs.end());
  return sim::statistics_of(capture, details, name_in_answers(traces.front(), command.common, capture.inputs),
                            selected_in(capture, command));
}

/// The largest error of a calibrated link rate with which collectives are compared.
constexpr double kWorstLinkRateError = 0.25;

/// The hardware that collectives should have been as fast as.
struct Expectation {
  Cluster cluster;
  std::string from;        ///< description, as a clause; empty if nothing is known
  bool knows_nics = true;  ///< false if only the links inside hosts are known
};

/// Returns the hardware that --cluster describes, else that of the data sheet of the capture's devices, else what
/// calibration finds in the capture itself.
Expectation expectation_of(Capture& capture, const CommonOptions& options) {
  if (options.cluster_file) {
    Cluster cluster = hardware_of(capture, options).cluster;
    const std::string_view how = cluster.measured.empty() ? "the formulas of a replay with the links"
                                 : cluster.network[kMeasuredInCapture]
                                     ? "the times that calibration found, and the links"
                                     : "the tables of nccl-tests, and the links";
    return {std::move(cluster), fmt::format("{} of {}", how, shown(name_of_cluster_file(options)))};
  }
  if (std::optional<DataSheet> sheet = data_sheet_of(capture)) {
    return {std::move(sheet->cluster),
            fmt::format("the formula for NCCL with the data sheet of {} (--cluster FILE for others)", sheet->text),
            false};
  }
  if (!has_all_members(capture.dag)) return {};
  try {
    Hardware own = hardware_of(capture, options);
    if (own.cluster.links.empty() || !own.calibration || own.calibration->link_rate_error > kWorstLinkRateError)
      return {};
    own.cluster.measured.clear();  // otherwise each row would be compared with itself
    return {std::move(own.cluster),
            "the link rate that calibration finds in these collectives: it shows which rows are slower than the rest, "
            "not whether all are slow"};
  } catch (const InputError&) {
    return {};
  }
}

sim::CollectiveStatistics collectives_of(const StatsCommand& command, const std::vector<std::string>& traces,
                                         const Session& session, std::vector<InputFile>& inputs) {
  CommonOptions options = command.common;
  options.traces = traces;
  Capture capture = load_capture(options, session);
  sim::CollectiveStatistics made{.name = name_in_answers(traces.front(), options, capture.inputs),
                                 .warning = sim::warning_of(capture),
                                 .caution = sim::caution_of(capture.diagnostics),
                                 .rows = sim::collective_rows(capture, command.what.only_steps)};
  Expectation expectation = expectation_of(capture, options);
  const NetworkModel& network = options.network->make != nullptr ? *options.network : parse_network("maxmin");
  if (!expectation.from.empty())
    sim::add_expected_times(made.rows, capture.dag, network, expectation.cluster, expectation.knows_nics);
  made.expected_from = std::move(expectation.from);
  made.siblings = sim::compare_siblings(made.rows, hosts_of_ranks(capture.dag));
  inputs.insert(inputs.end(), capture.inputs.begin(), capture.inputs.end());
  return made;
}

/// Calls make(TRACEs, inputs) for each input, and reports the document of the results.
template <class Made, class Make, class Write>
void answer(const StatsCommand& command, const Session& session, const Make& make, const Write& document_of) {
  Result result;
  auto& made = result.keep(std::vector<Made>{});
  std::vector<InputFile> inputs;
  const std::vector<std::string>& traces = command.common.traces;
  with_typed_errors([&] {
    if (command.join) {
      made.push_back(make(command, traces, session, inputs));
    } else {
      for (const std::string& trace : traces) made.push_back(make(command, {trace}, session, inputs));
    }
  });
  const Provenance& provenance = result.keep(provenance_if_needed(command.common, session, inputs));
  sim::Answer parts{.provenance = provenance};
  if constexpr (std::is_same_v<Made, sim::Statistics>) parts.bars = &result.keep(sim::chart_of(made));
  result.set(document_of(made, command.rows, provenance), std::move(parts));
  report(std::move(result), command.common, session);
}

void run_stats(const StatsCommand& command, const Session& session) {
  check_output(command.common);
  refuse_standard_input_twice(command.common.traces, "inputs");
  if (command.collectives) {
    answer<sim::CollectiveStatistics>(command, session, collectives_of, sim::collectives_document);
  } else {
    answer<sim::Statistics>(command, session, statistics_of, sim::stats_document);
  }
}

Command::Run setup_stats(CLI::App& app) {
  const auto common =
      add_common_options(app, {.command = "stats", .contents = {sim::Content::kDocument, sim::Content::kPicture}});
  app.get_option("TRACE")->description("Captures, each counted separately; a folder or an archive is one job");
  const auto* join = app.add_flag("--join")->description("Treat all TRACEs as files of one job");
  const auto* by = app.add_option("--by")->type_name("KEY")->description(
      fmt::format("Group rows by {} (default: name)", one_of(words_of(sim::stats_keys()))));
  const auto* order = app.add_option("--sort")->type_name("KEY")->description(
      fmt::format("Sort rows, largest first, by {} (default: self)", one_of(words_of(sim::stats_orders()))));
  const auto* select = app.add_option("--select")
                           ->type_name("KEY=VALUE,...")
                           ->description("Count only selected tasks, as in the braces of --set: class=gemm,rank=0");
  const auto* kernels =
      app.add_flag("--kernels")
          ->disable_flag_override()
          ->description("Count only kernels, collectives on the GPU included: nsys's cuda_gpu_kern_sum");
  const auto* collectives = app.add_flag("--collectives")
                                ->disable_flag_override()
                                ->description(
                                    "List payload, bandwidth and arrival of collectives by group and size, "
                                    "what to expect of the hardware, and slow links");
  const auto* sequences =
      app.add_flag("--sequences")
          ->disable_flag_override()
          ->description(
              "Also print which kernels the calls of each operator launch; --json and files have them always");
  const auto rows = add_rows_option(app, "Print the first N rows of each table", 20, "--head,--rows");
  return [=](const Session& session) {
    StatsCommand command{.common = common(),
                         .what = {.key = chosen("key of --by", sim::stats_keys(), by->results()).key,
                                  .order = chosen("key of --sort", sim::stats_orders(), order->results()).order},
                         .join = join->count() > 0};
    command.what.prints_sequences = sequences->count() > 0;
    command.what.only_steps = command.common.steps.has_value();
    command.rows = rows();
    if (rank_rows_of(command.rows)) command.common.rank_rows = kRankRows;
    command.kernels = kernels->count() > 0;
    command.collectives = collectives->count() > 0;
    if (select->count() > 0) command.select = select->results().back();
    if (command.kernels && command.select)
      throw UsageError("--kernels and --select both choose what counts; expected one of them");
    const bool other = by->count() > 0 || order->count() > 0 || select->count() > 0 || command.kernels ||
                       command.what.prints_sequences;
    if (command.collectives && other) {
      throw UsageError(
          "--collectives has rows of its own; leave out --by, --sort, --select, --kernels and --sequences");
    }
    run_stats(command, session);
  };
}

}  // namespace

extern const Command stats_command{
    .name = "stats",
    .summary = "List the times of kernels, calls, streams and copies, as measured",
    .setup = setup_stats,
    .examples = {"stepsim stats scenarios/samples/byteps-even --by stage",
                 "stepsim stats scenarios/samples/pytorch-ddp --collectives"},
};

}  // namespace stepsim::cli
