// stepsim analyze --option X --path P: accepts the command line of ByteProfile's analyze.py and runs the same analysis.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/program/arguments.h"
#include "cli/program/command.h"
#include "cli/program/provenance.h"
#include "cli/program/run_command.h"
#include "cli/program/terminal.h"
#include "cli/work/analyze_py.h"
#include "model/base/text.h"

namespace stepsim::cli {
namespace {

void run_analyze(const Analysis& analysis, const Session& session) {
  const std::vector<std::string> words = translated(analysis);
  const std::string line = command_line(words);
  write_error(shown(line, std::string::npos) + "\n");
  run_command(find_command(words.front(), commands()), {.arguments = words, .out = session.out, .stop = session.stop});
}

Command::Run setup_analyze(CLI::App& app) {
  const auto text = [&app](const char* names, const char* type, const std::string& description) {
    return app.add_option(names)->type_name(type)->description(description);
  };
  const auto* option =
      text("--option,--type", "NAME", fmt::format("Select the action: {}", one_of(analyze_py_options())));
  const auto* path = text("--path", "P[,P...]", "Read these files or folders, separated by commas");
  const auto* sub =
      text("--sub_option", "NAME",
           "Select the part: of collect iter_time, operator, combine, xlsx or straggler; of replay smlt_delay_cmp or "
           "bottleneck");
  const auto* sort = app.add_flag("--sort")->description("Sort statistic by the mean, compare by relative difference");
  const auto* head = text("--head", "N", "Print the first N rows of statistic and compare (default: all)");
  const auto* xlsx =
      app.add_flag("--xlsx")->description("Also write a workbook next to the first path (statistic, compare)");
  const auto* filter = text("--filter", "NAME,...", "Keep only this communication (combine)");
  const auto* del_queue =
      app.add_flag("--del_queue")->description("Write partitions and stages of communication (replay)");
  const auto* steps = text("--step_num", "N", "Simulate N iterations (replay; default: 1)");
  const auto* ratio = text("--delay_ratio", "R", "Multiply durations by R (replay smlt_delay_cmp; default: 1.1)");
  const auto* pretty = app.add_flag("--pretty")->description("Print only the first lines");
  return [=](const Session& session) {
    const auto value = [](const CLI::Option* given) {
      return given->count() > 0 ? std::optional(given->results().back()) : std::nullopt;
    };
    Analysis analysis{.option = value(option).value_or(""),
                      .paths = divided_at_commas(value(path).value_or("")),
                      .sub_option = value(sub).value_or(""),
                      .head = value(head),
                      .filter = value(filter).value_or(""),
                      .sort = sort->count() > 0,
                      .xlsx = xlsx->count() > 0,
                      .del_queue = del_queue->count() > 0,
                      .pretty = pretty->count() > 0};
    analysis.step_num = value(steps).value_or(analysis.step_num);
    analysis.delay_ratio = value(ratio).value_or(analysis.delay_ratio);
    run_analyze(analysis, session);
  };
}

}  // namespace

extern const Command analyze_command{
    .name = "analyze",
    .summary = "Translate and run a command line of ByteProfile's analyze.py",
    .setup = setup_analyze,
    .examples = {"stepsim analyze --option statistic --path scenarios/samples/byteps-even --sort --head 5",
                 "stepsim analyze --option critical --path scenarios/samples/byteps-even"},
};

}  // namespace stepsim::cli
