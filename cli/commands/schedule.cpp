// stepsim schedule RANGES.yaml -o prof.schedule: which ranges should an inline profiler measure in each iteration?

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
  bool events = false;  ///< write only names, for later versions of HugeCTR
};

void run_schedule(const ScheduleCommand& command, const Session& session) {
  const auto& [ranges, output, events] = command;
  if (ranges.empty()) throw UsageError("schedule needs a file with the ranges to measure; expected RANGES.yaml");
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
      "YAML with warmup, repeat and the ranges of each layer; or prof.events, one name per line");
  const auto* output =
      app.add_option("-o,--output")
          ->type_name("FILE")
          ->description(
              "Write the schedule to FILE, usually prof.schedule in PROFILING_DIR (default: standard output)");
  const auto* events = app.add_flag("--events")
                           ->disable_flag_override()
                           ->description("Write prof.events instead, for later versions of HugeCTR's profiler");
  return [=](const Session& session) {
    run_schedule({.ranges = ranges->count() > 0 ? ranges->results().back() : "",
                  .output = output->count() > 0 ? output->results().back() : "",
                  .events = events->count() > 0},
                 session);
  };
}

}  // namespace

extern const Command schedule_command{
    .name = "schedule",
    .summary = "Write the schedule of an inline profiler",
    .setup = setup_schedule,
    .examples = {"stepsim schedule scenarios/samples/inline/ranges.yaml",
                 "stepsim schedule scenarios/samples/inline/ranges.yaml --events"},
};

}  // namespace stepsim::cli
