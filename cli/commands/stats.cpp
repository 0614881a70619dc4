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
#include "scenarios/question/scenario.h"
#include "sim/stats/statistics.h"
#include "sim/stats/stats_document.h"

namespace stepsim::cli {
namespace {

struct StatsCommand {
  CommonOptions common;
  sim::StatsOptions what;
  std::optional<std::string> select;  ///< the text of --select
  bool kernels = false;               ///< --kernels
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
  return sim::statistics_of(capture, details, traces.front(), selected_in(capture, command));
}

void run_stats(const StatsCommand& command, const Session& session) {
  check_output(command.common);
  const std::vector<std::string>& traces = command.common.traces;
  refuse_standard_input_twice(traces, "inputs");
  Result result;
  auto& statistics = result.keep(std::vector<sim::Statistics>{});
  std::vector<InputFile> inputs;
  with_typed_errors([&] {
    if (command.join) {
      statistics.push_back(statistics_of(command, traces, session, inputs));
    } else {
      for (const std::string& trace : traces) statistics.push_back(statistics_of(command, {trace}, session, inputs));
    }
  });
  const Provenance& provenance = result.keep(provenance_if_needed(command.common, session, inputs));
  result.set(sim::stats_document(statistics, command.rows, provenance), provenance);
  report(std::move(result), command.common, session);
}

Command::Run setup_stats(CLI::App& app) {
  const auto common = add_common_options(app, {.command = "stats", .contents = {sim::Content::kDocument}});
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
  const auto rows = add_rows_option(app, "Print the first N rows of each table", 20, "--head,--rows");
  return [=](const Session& session) {
    StatsCommand command{.common = common(),
                         .what = {.key = chosen("key of --by", sim::stats_keys(), by->results()).key,
                                  .order = chosen("key of --sort", sim::stats_orders(), order->results()).order},
                         .join = join->count() > 0};
    command.what.only_steps = command.common.steps.has_value();
    command.rows = rows();
    command.kernels = kernels->count() > 0;
    if (select->count() > 0) command.select = select->results().back();
    if (command.kernels && command.select)
      throw UsageError("--kernels and --select both choose what counts; expected one of them");
    run_stats(command, session);
  };
}

}  // namespace

extern const Command stats_command{
    .name = "stats",
    .summary = "List the times of kernels, calls, streams and copies, as measured",
    .setup = setup_stats,
    .examples = {"stepsim stats scenarios/samples/byteps-even --by stage",
                 "stepsim stats scenarios/samples/byteps-even --sort count --head 5"},
};

}  // namespace stepsim::cli
