// stepsim replay TRACE...: can the model of this capture be trusted, and where does its time go?
// stepsim replay TRACE... --step-num N: simulates further iterations.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <limits>
#include <optional>
#include <string>

#include "cli/program/command.h"
#include "cli/program/options.h"
#include "cli/work/trace_output.h"
#include "cli/work/work.h"
#include "ingest/load/recognise.h"
#include "model/base/error.h"
#include "model/base/number.h"
#include "model/base/text.h"
#include "sim/export/synthetic.h"
#include "sim/report/capture_documents.h"
#include "sim/report/step_times.h"

namespace stepsim::cli {
namespace {

constexpr std::string_view kReplayName = "synthetic.json";
constexpr std::size_t kRows = 20;

void run_replay(const CommonOptions& options, bool tasks, bool slow_ranks, const Session& session) {
  Result result;
  const Replayed& replayed = result.keep(load_and_replay(options, session, true));
  const Provenance& provenance = result.keep(provenance_if_needed(options, session, replayed.capture.inputs));
  sim::Findings& findings = result.keep(findings_of(replayed));
  findings.tasks_detail = tasks;
  if (slow_ranks) findings.slow_ranks = slow_ranks_of(replayed, options, session);
  result.set(sim::replay_document(findings, provenance), answer_of(replayed, provenance));
  report(std::move(result), options, session);
}

void run_steps(CommonOptions options, std::size_t count, sim::CommEvents events, const Session& session) {
  const TraceOutput target(options, kReplayName, ingest::is_own_export);
  const std::string& output = target.path();
  const Replayed replayed = load_and_replay(options, session);
  refuse_input_as_output(output, replayed.capture.inputs);
  const Simulated simulated = simulate_steps(replayed, count, options, session);
  const Provenance provenance = make_provenance(session.arguments, replayed.capture.inputs);
  sim::OutputFile out = sim::open_output(output);
  sim::write_synthetic(simulated.capture, simulated.timeline, events, provenance, out);
  out.commit();
  if (target.is_standard_output()) return;
  const sim::SimulatedSteps steps = sim::simulated_steps(simulated.capture, simulated.timeline, simulated.repeated);
  print_document(sim::simulated_document(steps, simulated.capture, output, kRows, provenance), options, session);
}

std::size_t parse_step_count(const std::string& text) {
  constexpr std::size_t kMost = 1'000'000;
  const auto count = parse_number<std::size_t>(text);
  if (count && *count >= 1 && *count <= kMost) return *count;
  throw UsageError(fmt::format("--step-num: '{}' is not a number of iterations; expected 1 to {}", shown(text), kMost));
}

Command::Run setup_replay(CLI::App& app) {
  const auto common = add_common_options(app, writes_of_replay("replay"));
  const auto* tasks = app.add_flag("--tasks")->disable_flag_override()->description(
      "Add start and end of each task to the JSON answer (tasks_detail)");
  const auto* slow_ranks =
      app.add_flag("--slow-ranks")
          ->disable_flag_override()
          ->description(
              "Also find what each slow rank and pipeline stage costs: replay the job with each as fast as the others");
  const auto* steps =
      app.add_option("--step-num")
          ->type_name("N")
          ->description(
              "Repeat a typical step N times and write these iterations to -o FILE.json (default: synthetic.json)");
  const auto rows = add_rows_option(app, "Of more than 16 rows by rank, print the N slowest", kRankRows);
  const auto* queues =
      app.add_flag("--del-queue")
          ->disable_flag_override()
          ->description("With --step-num: write each stage of each partition, not one event per tensor");
  return [=](const Session& session) {
    if (steps->count() == 0 && queues->count() > 0)
      throw UsageError("--del-queue has no effect alone; expected it with --step-num N");
    if (steps->count() > 0 && tasks->count() > 0)
      throw UsageError("--tasks lists the captured steps' tasks; expected it without --step-num");
    if (steps->count() > 0 && slow_ranks->count() > 0)
      throw UsageError("--slow-ranks compares the captured steps; expected it without --step-num");
    CommonOptions options = common();
    options.rank_rows = rank_rows_of(rows());
    if (steps->count() == 0) return run_replay(options, tasks->count() > 0, slow_ranks->count() > 0, session);
    run_steps(options, parse_step_count(steps->results().back()),
              queues->count() > 0 ? sim::CommEvents::kStages : sim::CommEvents::kOperations, session);
  };
}

}  // namespace

extern const Command replay_command{
    .name = "replay",
    .summary = "Replay a capture: step time, where it goes, the critical path",
    .setup = setup_replay,
    .examples = {"stepsim replay scenarios/samples/byteps-even",
                 "stepsim replay scenarios/samples/byteps-even --network maxmin --brief"},
};

}  // namespace stepsim::cli
