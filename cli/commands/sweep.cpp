// stepsim sweep TRACE... [-s sweep.yaml] [--set k=v,w]...: which of these settings is best, and which is good enough?

#include <CLI/CLI.hpp>
#include <array>
#include <cstdlib>

#include "cli/program/arguments.h"
#include "cli/program/command.h"
#include "cli/sweep/engine.h"
#include "cli/sweep/work.h"
#include "cli/work/scenario_options.h"
#include "model/base/error.h"

namespace stepsim::cli {
namespace {

/// Options that do not influence the result, only how it is computed or shown.
constexpr std::array<std::string_view, 12> kOptionsWithoutEffect{"--threads", "--quiet", "--verbose", "--brief",
                                                                 "--full",    "--color", "--json",    "-o",
                                                                 "--resume",  "--shard", "--merge",   "--engine"};

void refuse_with_merge(const CLI::App& app) {
  for (const char* const name :
       {"--scenario", "--set", "--no-interference", "--resume", "--shard", "--engine", "--job", "--network"}) {
    if (app.get_option(name)->count() == 0) continue;
    throw UsageError(std::string("--merge only joins parts; leave out ") + name);
  }
}

void refuse_with_engine(const CLI::App& app) {
  for (const char* const name : {"--resume", "--shard"}) {
    if (app.get_option(name)->count() == 0) continue;
    throw UsageError(std::string("--engine divides the points by itself; leave out ") + name);
  }
}

Shard shard_of(const CLI::Option* option) {
  return option->count() > 0 ? parse_shard(option->results().back())
                             : shard_of_environment([](const char* name) -> const char* { return std::getenv(name); });
}

std::optional<std::string> file_of(const CLI::Option* option) {
  if (option->count() == 0 || option->results().empty() || option->results().back().empty()) return std::nullopt;
  return option->results().back();
}

Command::Run setup_sweep(CLI::App& app) {
  const auto common =
      add_common_options(app, {.command = "sweep", .contents = {sim::Content::kDocument, sim::Content::kPicture}});
  const auto scenario = add_scenario_options(
      app,
      "Try several values of a parameter, for example network.bandwidth=1x,2x,4x, or change it in all points; may be "
      "repeated");
  const auto* resume =
      app.add_option("--resume")
          ->type_name("[FILE]")
          ->expected(0, 1)
          ->description("Continue from the points in FILE, and add new points to it (default: OUT.points of -o OUT)");
  const auto* shard = app.add_option("--shard")->type_name("I/N")->description(
      "Predict one of N equal shares of the points (I counts from 0), and write it to FILE.part-I-of-N of -o FILE, or "
      "to FILE if its extension is not an output's (default: from Slurm, mpirun or Kubernetes)");
  const auto* engine = app.add_option("--engine")
                           ->type_name("ENGINE")
                           ->description(
                               "Divide the points among processes: local[:N] on this machine, mpi[:N], slurm:N (a job "
                               "array) or dask:ADDRESS");
  const auto* merge = app.add_flag("--merge")->disable_flag_override()->description(
      "Merge the parts of all shards, given as TRACE..., into one result");
  return [=, &app](const Session& session) {
    if (merge->count() > 0) {
      refuse_with_merge(app);
      return run_merge(common(), session);
    }
    if (engine->count() > 0) {
      refuse_with_engine(app);
      return run_on_engine({.common = common(),
                            .scenario = scenario(),
                            .arguments = arguments_again(app, session.arguments.front(), kOptionsWithoutEffect)},
                           parse_engine(engine->results().back()), session);
    }
    run_sweep({.common = common(),
               .scenario = scenario(),
               .arguments = arguments_in_order(app, session.arguments.front(), kOptionsWithoutEffect),
               .resume = resume->count() > 0,
               .resume_file = file_of(resume),
               .shard = shard_of(shard)},
              session);
  };
}

}  // namespace

extern const Command sweep_command{
    .name = "sweep",
    .summary = "Predict the step time for many settings and name the best",
    .setup = setup_sweep,
    .examples = {"stepsim sweep scenarios/samples/byteps-even --set network.bandwidth=1x,2x,4x",
                 "stepsim sweep scenarios/samples/byteps-even -s scenarios/library/network-or-partitions.yaml --json"},
};

}  // namespace stepsim::cli
