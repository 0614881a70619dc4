// stepsim timeline PROFILE...: what does an iteration consist of, according to an inline profiler?

#include <CLI/CLI.hpp>
#include <string>

#include "cli/program/command.h"
#include "cli/program/options.h"
#include "cli/work/profiles.h"
#include "cli/work/work.h"
#include "sim/profile/timeline_document.h"

namespace stepsim::cli {
namespace {

void run_timeline(const CommonOptions& options, const sim::RangeMeans& means, std::size_t rows,
                  const Session& session) {
  check_output(options);
  Result result;
  const ingest::LoadedRun& loaded = result.keep(load_profiled_run(options.traces, options, session));
  const Provenance& provenance = result.keep(provenance_if_needed(options, session, loaded.inputs));
  const auto& timeline = result.keep(sim::RangeTimeline{.run = loaded.run,
                                                        .means = means,
                                                        .ranges = sim::summaries_of(loaded.run, means),
                                                        .diagnostics = loaded.diagnostics});
  const sim::BarChart& chart = result.keep(sim::chart_of(timeline));
  result.set(sim::timeline_document(timeline, rows, provenance), {.provenance = provenance, .bars = &chart});
  report(std::move(result), options, session);
}

Command::Run setup_timeline(CLI::App& app) {
  const auto common =
      add_common_options(app, {.command = "timeline", .contents = {sim::Content::kDocument, sim::Content::kPicture}});
  app.get_option("TRACE")->description(
      "Results of an inline profiler (prof.json), one per process, or a folder or archive of them");
  const auto mean = add_mean_option(app);
  const auto begin = add_begin_option(app);
  const auto rows = add_rows_option(app, "Print the first N ranges", 30);
  return [=](const Session& session) { run_timeline(common(), {.length = mean(), .begin = begin()}, rows(), session); };
}

}  // namespace

extern const Command timeline_command{
    .name = "timeline",
    .summary = "Assemble an iteration from the ranges of an inline profiler",
    .setup = setup_timeline,
    .examples = {"stepsim timeline scenarios/samples/inline/two.prof.json",
                 "stepsim timeline scenarios/samples/inline/two.prof.json -o -.svg"},
};

}  // namespace stepsim::cli
