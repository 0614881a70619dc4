#include "cli/work/what_if_session.h"

#include <utility>

#include "cli/program/memory.h"
#include "cli/work/cluster_file.h"
#include "cli/work/modelled.h"
#include "cli/work/scenario_options.h"
#include "ingest/load/load.h"
#include "scenarios/answer/interference.h"
#include "scenarios/answer/profiler.h"
#include "scenarios/answer/replay_meter.h"

namespace stepsim::cli {
namespace {

/// What only replays of the capture show of how it should be predicted.
void learn_from_replays(WhatIfSession& what_if, const CommonOptions& options, bool interference,
                        const Session& session) {
  const sim::EngineOptions engine{.threads = options.threads, .stop = &session.stop};
  scenarios::ReplayMeter meter(engine);
  if (what_if.calibration) learn_links(*what_if.predictor, *what_if.calibration, !options.network_given, meter);
  scenarios::take_out_profiler(*what_if.predictor, meter);
  scenarios::learn_interference(*what_if.predictor, interference, engine);
  if (options.cluster_file) state_cluster_file(what_if.capture, options, meter, *what_if.predictor);
}

/// Reads the traces that changes are fitted with; they are inputs too.
void add_traces_named_by(const scenarios::Scenario& scenario, WhatIfSession& what_if) {
  for (const scenarios::Change& change : scenario.changes) {
    const YamlField* const with = change.find("with");
    if (with == nullptr) continue;
    const std::vector<InputFile>& inputs = what_if.predictor->read(with->scalar("a trace"))->inputs;
    what_if.capture.inputs.insert(what_if.capture.inputs.end(), inputs.begin(), inputs.end());
  }
}

}  // namespace

std::unique_ptr<WhatIfSession> load_for_what_ifs(const CommonOptions& options, const scenarios::Scenario& scenario,
                                                 const Session& session) {
  auto what_if = std::make_unique<WhatIfSession>();
  what_if->capture = load_capture(options, session);
  model_missing_times(what_if->capture, options);
  keep_freed_memory();  // each point takes a timeline's
  std::optional<Hardware> hardware = known_hardware(what_if->capture, options);
  if (scenario.file) what_if->capture.inputs.push_back(*scenario.file);
  const NetworkModel* const best = find_network_model(hardware ? "maxmin" : "recorded");
  what_if->network = options.network_given ? options.network : best;
  if (wants_cluster(options) && what_if->network->make == nullptr) refuse_unknown_cluster(options);
  if (hardware) what_if->calibration = std::move(hardware->calibration);
  what_if->predictor = std::make_unique<scenarios::Predictor>(
      what_if->capture, hardware ? std::move(hardware->cluster) : Cluster{}, *what_if->network);
  what_if->predictor->set_reader([threads = options.threads, stop = &session.stop](const std::string& path) {
    return ingest::load({path}, {.threads = threads, .stop = stop});
  });
  learn_from_replays(*what_if, options, scenario.interference, session);
  with_typed_errors([&] { add_traces_named_by(scenario, *what_if); });
  if (options.output) refuse_input_as_output(*options.output, what_if->capture.inputs);
  return what_if;
}

}  // namespace stepsim::cli
