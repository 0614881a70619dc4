#include "cli/work/scenario_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "ingest/bytes/small_file.h"
#include "ingest/load/load.h"
#include "model/base/error.h"
#include "model/base/text.h"

namespace stepsim::cli {
namespace {

constexpr std::size_t kLargestScenario = 1U << 20U;
constexpr std::string_view kSetPrefix = "--set ";

/// Nothing if neither the user nor the capture says what the job ran on.
std::optional<Hardware> known_hardware(Capture& capture, const CommonOptions& options) {
  try {
    return hardware_of(capture, options);
  } catch (const InputError&) {
    if (options.cluster_file || (options.network_given && options.network->make != nullptr)) {
      throw;
    }
    return std::nullopt;
  }
}

/// What a change is to be fitted with is read like the capture itself.
void add_traces_named_by(const scenarios::Scenario& scenario, Asked& asked) {
  for (const scenarios::Change& change : scenario.changes) {
    const YamlField* const with = change.find("with");
    if (with == nullptr) continue;
    const std::vector<std::string>& inputs = asked.predictor->read(with->scalar("a trace"))->inputs;
    asked.capture.inputs.insert(asked.capture.inputs.end(), inputs.begin(), inputs.end());
  }
}

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
      scenario = scenarios::parse_scenario(ingest::read_small_file(path, kLargestScenario), path);
    }
    for (const std::string& set : sets->results()) {
      scenarios::add_set(scenario, set);
    }
    return scenario;
  };
}

const std::string* file_of(const scenarios::Scenario& scenario) noexcept {
  for (const auto& document : scenario.documents) {
    if (!document->name.starts_with(kSetPrefix)) return &document->name;
  }
  return nullptr;
}

std::unique_ptr<Asked> load_for_what_ifs(const CommonOptions& options, const scenarios::Scenario& scenario,
                                         const Session& session) {
  auto asked = std::make_unique<Asked>();
  asked->capture = load_capture(options, session);
  std::optional<Hardware> hardware = known_hardware(asked->capture, options);
  if (const std::string* const file = file_of(scenario)) asked->capture.inputs.push_back(*file);
  const NetworkModel* const best = find_network_model(hardware ? "maxmin" : "recorded");
  asked->network = options.network_given ? options.network : best;
  if (hardware) asked->calibration = std::move(hardware->calibration);
  asked->predictor = std::make_unique<scenarios::Predictor>(
      asked->capture, hardware ? std::move(hardware->cluster) : Cluster{}, *asked->network);
  asked->predictor->set_reader([threads = options.threads, stop = &session.stop](const std::string& path) {
    return ingest::load({path}, {.threads = threads, .stop = stop});
  });
  with_set_errors([&] { add_traces_named_by(scenario, *asked); });
  return asked;
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
