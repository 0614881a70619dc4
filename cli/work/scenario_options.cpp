#include "cli/work/scenario_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "ingest/bytes/small_file.h"
#include "model/base/error.h"
#include "model/base/text.h"

namespace stepsim::cli {
namespace {

constexpr std::size_t kLargestScenario = 1U << 20U;
constexpr std::string_view kSetPrefix = "--set ";

}  // namespace

std::function<scenarios::Scenario()> add_scenario_options(CLI::App& app) {
  const auto* file = app.add_option("-s,--scenario")->type_name("FILE")->description("the scenario, in YAML");
  const auto* sets = app.add_option("--set")
                         ->type_name("WHATIF.PARAMETER=VALUE")
                         ->expected(1)
                         ->take_all()
                         ->description("one more change, such as network.bandwidth=2x; may be given again");
  return [=] {
    scenarios::Scenario scenario;
    if (file->count() > 0) {
      const std::string path = file->results().back();
      ingest::SmallFile read = ingest::read_small_file(path, kLargestScenario);
      scenario = scenarios::parse_scenario(read.text, path);
      scenario.file = std::move(read.identity);
    }
    for (const std::string& set : sets->results()) {
      scenarios::add_set(scenario, set);
    }
    return scenario;
  };
}

void with_set_errors(const std::function<void()>& work) {
  try {
    work();
  } catch (const InputError& error) {
    if (!error.where().file.starts_with(kSetPrefix)) {
      throw;
    }
    const std::string_view what = error.what();
    throw UsageError(fmt::format("--set '{}': {}", shown(error.where().file.substr(kSetPrefix.size())),
                                 what.substr(error.where().to_text().size() + 2)));
  }
}

}  // namespace stepsim::cli
