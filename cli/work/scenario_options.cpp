#include "cli/work/scenario_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <string_view>

#include "ingest/bytes/input.h"
#include "model/base/error.h"
#include "model/base/missing_file.h"
#include "model/base/text.h"
#include "scenarios/change/what_if.h"

namespace stepsim::cli {
namespace {

constexpr std::size_t kLargestScenario = 1U << 20U;
/// Errors in text from the command line name one of these options, followed by the text, in place of a file.
constexpr std::array<std::string_view, 2> kTyped{"--set ", "--select "};

/// Returns the what-ifs for --help, one line each.
std::string what_ifs_help() {
  std::string text = "What-ifs ({} = can be limited to selected tasks, for example compute{class=gemm}.scale=0.5):\n";
  for (const scenarios::WhatIf* const what_if : scenarios::what_ifs()) {
    const std::string name = fmt::format("{}{}", what_if->name, what_if->selected == nullptr ? "" : "{}");
    text += fmt::format("  {:<13} {}\n", name, what_if->summary);
  }
  return text +
         "'stepsim help compute' lists the parameters of one; 'stepsim tasks TRACE' lists what can be selected; "
         "'stepsim help not-modelled' lists what no what-if changes.\n";
}

/// Returns the message for an error in text from the command line; it begins with the option and the text. Returns
/// nothing for an error in a file.
std::optional<std::string> typed_text(const InputError& error) {
  const std::string& place = error.where().file;
  const auto* const option = std::find_if(kTyped.begin(), kTyped.end(),
                                          [&place](std::string_view prefix) { return place.starts_with(prefix); });
  if (option == kTyped.end()) return std::nullopt;
  const std::string_view what = error.what();
  return fmt::format("{}'{}': {}", *option, shown(place.substr(option->size())),
                     what.substr(error.where().to_text().size() + 2));
}

/// Throws InputError if nothing exists at `path`, with a hint if it looks like a change for --set.
void refuse_missing(const std::string& path) {
  std::error_code error;
  if (std::filesystem::exists(path, error) || error) return;
  const bool is_change = path.find('=') != std::string::npos;
  throw MissingFile({path, {}, {}},
                    is_change ? "no such file; expected a scenario in YAML, or --set for a change on the command line"
                              : "no such file; expected a scenario in YAML");
}

}  // namespace

std::function<scenarios::Scenario()> add_scenario_options(CLI::App& app, const std::string& sets_description) {
  app.footer(what_ifs_help());
  const auto* file =
      app.add_option("-s,--scenario")->type_name("FILE")->description("Read the changes from a YAML file");
  const auto* sets = app.add_option("--set")
                         ->type_name("WHATIF.PARAMETER=VALUE")
                         ->expected(1)
                         ->take_all()
                         ->description(sets_description);
  const auto* machine = app.add_option("--machine")
                            ->type_name("FILE")
                            ->description(
                                "Correct modelled times by measured steps: a machine.yaml that 'stepsim calibrate "
                                "--measured' wrote (default: that of job.yaml)");
  const auto* without =
      app.add_flag("--no-interference")
          ->disable_flag_override()
          ->description("Keep kernel times as captured, even if other communication runs at the same time");
  return [=] {
    scenarios::Scenario scenario;
    if (file->count() > 0) {
      const std::string path = file->results().back();
      refuse_missing(path);
      ingest::SmallFile read = ingest::read_small_file(path, kLargestScenario);
      scenario = scenarios::parse_scenario(read.text, path);
      scenario.file = std::move(read.identity);
    }
    for (const std::string& set : sets->results()) {
      scenarios::add_typed_set(scenario, set);
    }
    if (machine->count() > 0) scenario.machine = machine->results().back();
    scenario.interference = without->count() == 0;
    return scenario;
  };
}

void with_typed_errors(const std::function<void()>& work) {
  try {
    work();
  } catch (const CannotAnswer& error) {
    if (const std::optional<std::string> typed = typed_text(error)) throw CannotAnswer({}, *typed);
    throw;
  } catch (const InputError& error) {
    if (const std::optional<std::string> typed = typed_text(error)) throw UsageError(*typed);
    throw;
  }
}

}  // namespace stepsim::cli
