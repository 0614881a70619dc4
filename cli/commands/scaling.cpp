// stepsim scaling RUN...: what takes longer in one run than in another, as an inline profiler measured it?

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/program/command.h"
#include "cli/program/options.h"
#include "cli/work/analyze_py.h"
#include "cli/work/profiles.h"
#include "cli/work/range_options.h"
#include "cli/work/work.h"
#include "sim/profile/scaling_document.h"

namespace stepsim::cli {
namespace {

constexpr std::size_t kDefaultRows = 20;

struct ScalingCommand {
  CommonOptions common;
  std::vector<std::string> labels;
  sim::RangeMean mean = sim::RangeMean::kMedian;
  std::size_t rows = kDefaultRows;
};

void run(const ScalingCommand& command, const Session& session) {
  check_output(command.common);
  std::vector<ProfiledRun> runs;
  std::vector<InputFile> inputs;
  for (const std::string& trace : command.common.traces) {
    ingest::LoadedRun loaded = load_profiled_run({trace}, command.common, session);
    runs.push_back(std::move(loaded.run));
    inputs.insert(inputs.end(), loaded.inputs.begin(), loaded.inputs.end());
  }
  const Provenance provenance = provenance_if_needed(command.common, session, inputs);
  const sim::Scaling scaling = sim::scaling_of(runs, command.labels, command.mean);
  sim::Document document = sim::scaling_document(scaling, command.rows, provenance);
  const sim::BarChart chart = sim::chart_of(scaling);
  report(document, {.provenance = provenance, .document = &document, .bars = &chart}, command.common, session);
}

Command::Run setup(CLI::App& app) {
  const auto common =
      add_common_options(app, {.command = "scaling", .contents = {sim::Content::kDocument, sim::Content::kPicture}});
  app.get_option("TRACE")->description(
      "runs with an inline profiler, each a prof.json, or a folder or archive with one a process");
  const auto mean = add_mean_option(app);
  const auto* labels = app.add_option("--labels")
                           ->type_name("A,B")
                           ->description("only these ranges or layers (default: all that lie in no other)");
  const auto* rows = app.add_option("--rows")->type_name("N")->description(
      "print the N ranges that take longest, or all (default: 20; --json has all)");
  return [=](const Session& session) {
    run({.common = common(),
         .labels = labels->count() > 0 ? divided_at_commas(labels->results().back()) : std::vector<std::string>{},
         .mean = mean(),
         .rows = rows->count() > 0 ? parse_rows(rows->results().back()) : kDefaultRows},
        session);
  };
}

}  // namespace

extern const Command scaling_command;
const Command scaling_command{
    .name = "scaling",
    .summary = "Compare what an inline profiler measured in several runs: whole iterations, average and longest ranges",
    .setup = setup,
    .examples = {"stepsim scaling scenarios/samples/inline/one.prof.json scenarios/samples/inline/two.prof.json",
                 "stepsim scaling scenarios/samples/inline/two.prof.json --labels fc1,fc2"},
};

}  // namespace stepsim::cli
