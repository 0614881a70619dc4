// stepsim scaling RUN...: what takes longer in one run than in another, according to an inline profiler?

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/program/arguments.h"
#include "cli/program/command.h"
#include "cli/program/options.h"
#include "cli/work/analyze_py.h"
#include "cli/work/profiles.h"
#include "cli/work/work.h"
#include "model/base/error.h"
#include "model/base/text.h"
#include "sim/profile/scaling.h"

namespace stepsim::cli {
namespace {

struct ScalingCommand {
  CommonOptions common;
  std::vector<std::string> labels;
  sim::RangeMean mean = sim::RangeMean::kMedian;
  sim::Ideal ideal = sim::Ideal::kNone;
  std::size_t rows = 0;
};

sim::Ideal parse_ideal(const std::string& word) {
  for (const sim::Ideal ideal : {sim::Ideal::kWeak, sim::Ideal::kStrong}) {
    if (word == to_text(ideal)) return ideal;
  }
  throw UsageError(fmt::format("--ideal: '{}' is not a kind of scaling; expected weak or strong", shown(word)));
}

void run_scaling(const ScalingCommand& command, const Session& session) {
  check_output(command.common);
  refuse_standard_input_twice(command.common.traces, "runs");
  std::vector<ProfiledRun> runs;
  std::vector<InputFile> inputs;
  for (const std::string& trace : command.common.traces) {
    ingest::LoadedRun loaded = load_profiled_run({trace}, command.common, session);
    runs.push_back(std::move(loaded.run));
    inputs.insert(inputs.end(), loaded.inputs.begin(), loaded.inputs.end());
  }
  Result result;
  const Provenance& provenance = result.keep(provenance_if_needed(command.common, session, inputs));
  const sim::Scaling& scaling = result.keep(sim::scaling_of(runs, command.labels, command.mean, command.ideal));
  const sim::BarChart& chart = result.keep(sim::chart_of(scaling));
  result.set(sim::scaling_document(scaling, command.rows, provenance), {.provenance = provenance, .bars = &chart});
  report(std::move(result), command.common, session);
}

Command::Run setup_scaling(CLI::App& app) {
  const auto common =
      add_common_options(app, {.command = "scaling", .contents = {sim::Content::kDocument, sim::Content::kPicture}});
  app.get_option("TRACE")->description(
      "Runs with an inline profiler: a prof.json each, or a folder or archive with one per process");
  const auto mean = add_mean_option(app);
  const auto* labels = app.add_option("--labels")
                           ->type_name("A,B")
                           ->description("List only these ranges or layers (default: all outermost ranges)");
  const auto* ideal = app.add_option("--ideal")->type_name("KEY")->description(
      "Compare with ideal scaling from the run with the fewest devices: weak (same time) or strong (time inversely "
      "proportional to the devices)");
  const auto rows = add_rows_option(app, "Print the N longest ranges", 20);
  return [=](const Session& session) {
    run_scaling(
        {.common = common(),
         .labels = labels->count() > 0 ? divided_at_commas(labels->results().back()) : std::vector<std::string>{},
         .mean = mean(),
         .ideal = ideal->count() > 0 ? parse_ideal(ideal->results().back()) : sim::Ideal::kNone,
         .rows = rows()},
        session);
  };
}

}  // namespace

extern const Command scaling_command{
    .name = "scaling",
    .summary = "Compare inline-profiler runs on different numbers of devices",
    .setup = setup_scaling,
    .examples = {"stepsim scaling scenarios/samples/inline/one.prof.json scenarios/samples/inline/two.prof.json",
                 "stepsim scaling scenarios/samples/inline/two.prof.json --labels fc1,fc2 --ideal weak"},
};

}  // namespace stepsim::cli
