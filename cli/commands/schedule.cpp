// stepsim schedule RANGES.yaml -o prof.schedule: what shall an inline profiler measure in which iteration?

#include <CLI/CLI.hpp>
#include <string>

#include "cli/program/command.h"
#include "cli/program/output_rule.h"
#include "cli/program/terminal.h"
#include "ingest/config/config.h"
#include "model/base/error.h"
#include "sim/output/write_file.h"

namespace stepsim::cli {
namespace {

struct ScheduleCommand {
  std::string ranges;
  std::string output;
  bool events = false;  ///< names alone, for HugeCTR's later versions
};

void run_schedule(const ScheduleCommand& command, const Session& session) {
  const auto& [ranges, output, events] = command;
  if (ranges.empty()) throw UsageError("schedule needs RANGES.yaml, the ranges to be measured");
  const bool to_file = !output.empty() && output != sim::kStandardOutput;
  if (to_file) sim::refuse_unwritable(output);
  const RangeSchedule schedule = ingest::read_ranges_file(ranges);
  const std::string text = events ? to_events(schedule) : to_text(schedule);
  if (!to_file) return session.out.write(text + '\n');
  refuse_input_as_output(output, ranges);
  sim::write_file(output, text);
}

Command::Run setup_schedule(CLI::App& app) {
  const auto* ranges = app.add_option("RANGES")->type_name("")->description(
      "YAML: warmup, repeat, and layers with their ranges forward and backward; or prof.events: names, one a line");
  const auto* output = app.add_option("-o,--output")
                           ->type_name("FILE")
                           ->description(
                               "write the schedule here: prof.schedule in PROFILING_DIR (default: standard "
                               "output)");
  const auto* events = app.add_flag("--events")
                           ->disable_flag_override()
                           ->description(
                               "write prof.events instead, which later versions of HugeCTR's profiler read: the names "
                               "alone");
  return [=](const Session& session) {
    run_schedule({.ranges = ranges->count() > 0 ? ranges->results().back() : "",
                  .output = output->count() > 0 ? output->results().back() : "",
                  .events = events->count() > 0},
                 session);
  };
}

}  // namespace

extern const Command schedule_command;
const Command schedule_command{
    .name = "schedule",
    .summary = "Make the schedule of an inline profiler: which range it measures in which iteration",
    .setup = setup_schedule,
    .examples = {"stepsim schedule scenarios/samples/inline/ranges.yaml",
                 "stepsim schedule scenarios/samples/inline/ranges.yaml --events"},
};

}  // namespace stepsim::cli
