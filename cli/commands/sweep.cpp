// stepsim sweep TRACE... [-s sweep.yaml] [--set k=v,w]...: which of these would be best, and what is enough?

#include <CLI/CLI.hpp>
#include <array>
#include <cstdlib>

#include "cli/program/arguments.h"
#include "cli/program/command.h"
#include "cli/sweep/work.h"
#include "cli/work/scenario_options.h"
#include "model/base/error.h"

namespace stepsim::cli {
namespace {

/// Options that say how the work is done; no result depends on them.
constexpr std::array<std::string_view, 9> kNotOfTheResult{"--threads", "--quiet",  "--brief", "--color", "--json",
                                                          "-o",        "--resume", "--shard", "--merge"};

void refuse_with_merge(const CLI::App& app) {
  for (const char* const name :
       {"--scenario", "--set", "--no-interference", "--resume", "--shard", "--job", "--network"}) {
    if (app.get_option(name)->count() == 0) continue;
    throw UsageError(std::string("--merge only joins parts; expected no ") + name);
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
      "several values such as network.bandwidth=1x,2x,4x: one more axis of the grid; one value: a change of every "
      "point; may be given again");
  const auto* resume = app.add_option("--resume")
                           ->type_name("[FILE]")
                           ->expected(0, 1)
                           ->description(
                               "go on with the points that FILE holds, and keep those that follow there (default: "
                               "OUT.points of -o OUT)");
  const auto* shard = app.add_option("--shard")->type_name("I/N")->description(
      "Predict every N-th point, starting at point I (from 0), and write them to FILE.part-I-of-N of -o FILE, or to "
      "FILE if its extension is not an output's (default: as Slurm, mpirun or Kubernetes say)");
  const auto* merge = app.add_flag("--merge")->disable_flag_override()->description(
      "TRACE... are the parts of all shards: make the one result of them");
  return [=, &app](const Session& session) {
    if (merge->count() > 0) {
      refuse_with_merge(app);
      return run_merge(common(), session);
    }
    run_sweep({.common = common(),
               .scenario = scenario(),
               .arguments = arguments_in_order(app, session.arguments.front(), kNotOfTheResult),
               .resume = resume->count() > 0,
               .resume_file = file_of(resume),
               .shard = shard_of(shard)},
              session);
  };
}

}  // namespace

extern const Command sweep_command;
const Command sweep_command{
    .name = "sweep",
    .summary = "Predict an iteration at every point of a grid; name the best point and where more buys little",
    .setup = setup_sweep,
    .examples = {"stepsim sweep scenarios/samples/byteps-even --set network.bandwidth=1x,2x,4x",
                 "stepsim sweep scenarios/samples/byteps-even -s scenarios/library/network-or-partitions.yaml --json"},
};

}  // namespace stepsim::cli
