#include "cli/work/what_if_session.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "cli/program/memory.h"
#include "cli/work/result.h"
#include "cli/work/scenario_options.h"
#include "cli/work/work.h"
#include "ingest/config/config.h"
#include "ingest/load/load.h"
#include "model/base/error.h"
#include "model/base/text.h"
#include "scenarios/answer/learn_from_capture.h"
#include "scenarios/answer/predict.h"
#include "sim/analysis/intervals.h"
#include "sim/analysis/summary.h"
#include "sim/check/checkup.h"
#include "sim/report/headline.h"
#include "sim/report/table.h"

namespace stepsim::cli {

namespace {

/// Returns the job's hardware if the user, the input or calibration provides it. Throws InputError if the user gave a
/// cluster or a model that does not apply to the capture.
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

/// Learns from replays of the capture how its calibrated links are shared and, if `may_prefer_recorded`, whether
/// collectives keep their recorded times.
void learn_links(scenarios::PredictorBuilder& builder, Calibration& calibration, bool may_prefer_recorded,
                 scenarios::ReplayMeter& meter) {
  builder.settings().link_rate_error = calibration.link_rate_error;
  if (scenarios::refit_sharing(builder, meter)) remove_assumption(calibration.assumptions, "link_sharing");
  if (may_prefer_recorded && scenarios::prefer_recorded_collectives(builder, meter))
    remove_assumption(calibration.assumptions, "link_sharing");
}

/// Predicts the captured iteration on the links that the job ran on, without the file of --cluster. Returns nothing if
/// the capture does not show these links.
std::optional<Duration> on_own_links(Capture& capture, CommonOptions options, scenarios::ReplayMeter& meter) {
  options.cluster_file.reset();
  options.network_given = false;
  std::optional<Hardware> own = known_hardware(capture, options);
  if (!own) return std::nullopt;
  scenarios::PredictorBuilder builder(capture, own->cluster, *find_network_model("maxmin"));
  if (own->calibration) learn_links(builder, *own->calibration, true, meter);
  return meter.predict(builder.predictor(), builder.predictor().plan()).of_captured_steps;
}

/// Adds the assumption kClusterFile (sim/report/headline.h) to the predictor. It states how much the links of --cluster
/// alone change the captured iteration. Without this assumption, the report and the ranges would treat that change as
/// an error of the model. Needs two replays in addition to those of learn_links().
void state_cluster_file(Capture& capture, const CommonOptions& options, scenarios::ReplayMeter& meter,
                        scenarios::PredictorBuilder& builder) {
  const scenarios::Prediction there = meter.predict(builder.predictor(), builder.predictor().plan());
  const sim::Summary summary = sim::summarize(*there.graph, there.timeline);
  if (!summary.measured) return;
  const Duration measured = summary.iteration.measured;
  const auto own = on_own_links(capture, options, meter);
  const Duration before = own.value_or(measured);
  builder.settings().on_own_cluster = before;
  const std::string change =
      fmt::format("With {} alone the captured step goes from {} to {} ({})", shown(name_of_cluster_file(options)),
                  stepsim::to_text(before), stepsim::to_text(there.of_captured_steps),
                  sim::signed_percent(sim::ratio(there.of_captured_steps - before, before)));
  builder.settings().assumptions.push_back(
      {std::string(sim::kClusterFile),
       own ? fmt::format("{}; with its own links it is predicted with an error of {}.", change,
                         sim::signed_percent(sim::ratio(*own - measured, measured)))
           : fmt::format("{}; this includes the model's error, because the capture does not show its own links.",
                         change)});
}

/// Finds the settings of the predictor that only replays of the capture can determine.
void learn_from_replays(WhatIfSession& what_if, scenarios::PredictorBuilder& builder, const CommonOptions& options,
                        bool interference, const Session& session) {
  begin_stage(session, "calibrating");
  const sim::EngineOptions engine{.threads = options.threads, .stop = &session.stop};
  scenarios::ReplayMeter meter(engine);
  if (what_if.calibration) learn_links(builder, *what_if.calibration, !options.network_given, meter);
  scenarios::test_repetition(builder, meter);
  scenarios::learn_interference(builder, interference, engine);
  if (options.cluster_file) state_cluster_file(what_if.capture, options, meter, builder);
  scenarios::take_out_profiler(builder, meter);
}

/// Assesses the capture from a replay of its recorded times, so that every answer has the verdict of 'stepsim check'.
sim::Checkup checkup_of(const Capture& capture, const CommonOptions& options, const Session& session) {
  const Replayed replayed = replay_recorded(capture, options, session);
  const sim::ReplayCheck check = replay_check_of(findings_of(replayed));
  return sim::checkup_of(capture, &check);
}

/// Throws CannotAnswer if the capture lacks data that every answer needs.
void refuse_essential_loss(const Capture& capture, const CommonOptions& options) {
  const std::string loss = sim::essential_loss(capture);
  if (loss.empty()) return;
  throw CannotAnswer(
      {options.traces.front(), {}, {}},
      fmt::format("this capture {}, so no change can be predicted; 'stepsim check' says what to record", loss));
}

/// Reads the machine.yaml that the scenario or job.yaml names, and adds it to the capture's inputs. Returns null if
/// neither names one.
std::shared_ptr<const MeasuredMachine> machine_of(const scenarios::Scenario& scenario, Capture& capture) {
  const std::optional<std::string>& path = scenario.machine ? scenario.machine : capture.job.machine;
  if (!path) return nullptr;
  return std::make_shared<const MeasuredMachine>(ingest::read_machine_file(*path, capture.inputs));
}

std::shared_ptr<WhatIfSession> prepare_what_ifs(const CommonOptions& options, const scenarios::Scenario& scenario,
                                                const Session& session) {
  auto what_if = std::make_shared<WhatIfSession>();
  what_if->capture = load_capture(options, session);
  begin_stage(session, "preparing");
  refuse_essential_loss(what_if->capture, options);
  std::shared_ptr<const MeasuredMachine> machine = machine_of(scenario, what_if->capture);
  model_missing_times(what_if->capture, options);
  if (session.host == nullptr) keep_freed_memory();  // each point allocates a timeline
  std::optional<Hardware> hardware = known_hardware(what_if->capture, options);
  const NetworkModel* const best = find_network_model(hardware ? "maxmin" : "recorded");
  what_if->network = options.network_given ? options.network : best;
  if (wants_cluster(options) && what_if->network->make == nullptr) refuse_unknown_cluster(options);
  if (hardware) what_if->calibration = std::move(hardware->calibration);
  scenarios::PredictorBuilder builder(what_if->capture, hardware ? std::move(hardware->cluster) : Cluster{},
                                      *what_if->network);
  // A host's session may end before the predictor does, so its flag is not kept.
  const std::atomic<bool>* const stop = session.host == nullptr ? &session.stop : nullptr;
  builder.settings().reader = [threads = options.threads, stop](const std::string& path) {
    return ingest::load({path}, {.threads = threads, .stop = stop});
  };
  builder.settings().checkup = checkup_of(what_if->capture, options, session);
  learn_from_replays(*what_if, builder, options, scenario.interference, session);
  builder.settings().machine = std::move(machine);
  what_if->predictor = std::move(builder).build();
  return what_if;
}

}  // namespace

std::shared_ptr<WhatIfSession> load_for_what_ifs(const CommonOptions& options, const scenarios::Scenario& scenario,
                                                 const Session& session) {
  const auto prepare = [&] { return prepare_what_ifs(options, scenario, session); };
  // A Host keeps what was prepared for a capture, not for one of its machines.
  return session.host == nullptr || scenario.machine
             ? prepare()
             : session.host->captures.what_ifs(options, scenario.interference, prepare);
}

std::vector<InputFile> inputs_of(const WhatIfSession& what_if, const scenarios::Scenario& scenario,
                                 const CommonOptions& options) {
  std::vector<InputFile> inputs = what_if.capture.inputs;
  if (scenario.file) inputs.push_back(*scenario.file);
  with_typed_errors([&] {
    for (const scenarios::Change& change : scenario.changes) {
      const YamlField* const with = change.find("with");
      if (with == nullptr) continue;
      const std::vector<InputFile>& read = what_if.predictor->read(with->scalar("a trace"))->inputs;
      inputs.insert(inputs.end(), read.begin(), read.end());
    }
  });
  if (options.output) refuse_input_as_output(*options.output, inputs);
  return inputs;
}

}  // namespace stepsim::cli
