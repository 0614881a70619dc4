// stepsim schedule RANGES.yaml -o prof.schedule: what shall an inline profiler measure in which iteration?

#include <CLI/CLI.hpp>
#include <string>

#include "cli/program/command.h"
#include "cli/program/output.h"
#include "cli/program/output_rule.h"
#include "ingest/config/ranges_file.h"
#include "model/base/error.h"
#include "sim/output/write_file.h"

namespace stepsim::cli {
namespace {

void run(const std::string& ranges, const std::string& output, const Session& session) {
  if (ranges.empty()) throw UsageError("schedule needs RANGES.yaml, the ranges to be measured");
  const bool to_file = !output.empty() && output != sim::kStandardOutput;
  if (to_file) sim::refuse_unwritable(output);
  const std::string text = to_text(ingest::read_ranges_file(ranges));
  if (!to_file) return session.out.write(text + '\n');
  refuse_input_as_output(output, ranges);
  sim::write_file(output, text);
}

Command::Run setup(CLI::App& app) {
  const auto* ranges = app.add_option("RANGES")->type_name("")->description(
      "YAML: warmup, repeat, and layers with their ranges forward and backward");
  const auto* output = app.add_option("-o,--output")
                           ->type_name("FILE")
                           ->description(
                               "write the schedule here: prof.schedule in PROFILING_DIR (default: standard "
                               "output)");
  return [=](const Session& session) {
    run(ranges->count() > 0 ? ranges->results().back() : "", output->count() > 0 ? output->results().back() : "",
        session);
  };
}

}  // namespace

extern const Command schedule_command;
const Command schedule_command{
    .name = "schedule",
    .summary = "Make the schedule of an inline profiler: which range it measures in which iteration",
    .setup = setup,
    .examples = {"stepsim schedule scenarios/samples/inline/ranges.yaml",
                 "stepsim schedule scenarios/samples/inline/ranges.yaml -o -"},
};

}  // namespace stepsim::cli
