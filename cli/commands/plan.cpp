// stepsim plan CAPTURE --devices N: how should the job of one captured device be divided among many?

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <string_view>

#include "cli/program/arguments.h"
#include "cli/program/command.h"
#include "cli/sweep/plan_work.h"
#include "cli/work/scenario_options.h"
#include "model/base/error.h"
#include "model/base/number.h"
#include "model/base/text.h"
#include "model/rewrite/parallel/parallelism.h"

namespace stepsim::cli {
namespace {

/// Options that do not influence the result, only how it is computed or shown.
constexpr std::array<std::string_view, 9> kWithoutEffectOnPlans{
    "--threads", "--quiet", "--verbose", "--brief", "--full", "--color", "--json", "-o", "--resume"};

std::vector<std::uint32_t> parse_devices(const CLI::Option* option) {
  std::vector<std::uint32_t> devices;
  for (const std::string& text : divided_at_commas(option->count() > 0 ? option->results().back() : "")) {
    const auto number = parse_number<std::uint32_t>(text);
    if (!number || *number == 0 || *number > kMostDevices) {
      throw UsageError(fmt::format("--devices '{}': expected numbers from 1 to {}, such as 64 or 8,16,32", shown(text),
                                   kMostDevices));
    }
    devices.push_back(*number);
  }
  if (devices.empty()) throw UsageError("--devices is missing; expected a number of devices such as --devices 64");
  std::sort(devices.begin(), devices.end());
  devices.erase(std::unique(devices.begin(), devices.end()), devices.end());
  return devices;
}

std::optional<std::string> text_of(const CLI::Option* option) {
  if (option->count() == 0 || option->results().empty() || option->results().back().empty()) return std::nullopt;
  return option->results().back();
}

Command::Run setup_plan(CLI::App& app) {
  const auto common = add_common_options(app, {.command = "plan", .contents = {sim::Content::kDocument}});
  const auto scenario = add_scenario_options(
      app,
      "Change a parameter in every plan, for example cluster.nic=400Gb/s; several values, for example "
      "parallel.tensor=4,8, are those to try; may be repeated");
  const auto* devices = app.add_option("--devices")
                            ->type_name("N,...")
                            ->description("Numbers of devices to divide the job among, for example 64 or 8,16,32,64");
  const auto* device =
      app.add_option("--device")->type_name("NAME")->description("Device to run on (default: the captured one)");
  const auto* samples = app.add_option("--global-batch")
                            ->type_name("N")
                            ->description(
                                "Samples of all replicas per step, or a multiple of those of the captured step such as "
                                "64x (default: one captured step for each of the most devices)");
  const auto* front = app.add_flag("--front")->description(
      "Also find the Pareto front: the fastest plans for less and less memory, and for fewer devices");
  const auto* resume =
      app.add_option("--resume")
          ->type_name("[FILE]")
          ->expected(0, 1)
          ->description("Continue from the plans in FILE, and add new ones to it (default: OUT.points of -o OUT)");
  return [=, &app](const Session& session) {
    run_plan({.common = common(),
              .scenario = scenario(),
              .arguments = arguments_in_order(app, session.arguments.front(), kWithoutEffectOnPlans),
              .devices = parse_devices(devices),
              .device = text_of(device),
              .samples = text_of(samples),
              .front = front->count() > 0,
              .resume = resume->count() > 0,
              .resume_file = text_of(resume)},
             session);
  };
}

}  // namespace

extern const Command plan_command{
    .name = "plan",
    .summary = "Find the fastest way to divide the job of one captured device among many",
    .setup = setup_plan,
    .examples = {"stepsim plan scenarios/samples/transformer --devices 8 --device H100",
                 "stepsim plan scenarios/samples/transformer --devices 16,32 --set cluster.nic=400Gb/s --json"},
};

}  // namespace stepsim::cli
