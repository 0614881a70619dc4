#ifndef STEPSIM_CLI_WORK_WORK_H
#define STEPSIM_CLI_WORK_WORK_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/program/command.h"
#include "cli/program/options.h"
#include "cli/program/process.h"
#include "cli/program/provenance.h"
#include "cli/program/terminal.h"
#include "ingest/load/load.h"
#include "ingest/load/recorded_stages.h"
#include "ingest/survey/survey.h"
#include "model/calibration/calibration.h"
#include "model/job/recording.h"
#include "sim/engine/timeline.h"
#include "sim/export/exporter.h"
#include "sim/report/document.h"
#include "sim/report/report.h"

namespace stepsim::cli {

/// Where the input says what runs and not how long: durations as modelled on the device that --cluster names. Other
/// captures stay as they are. Throws CannotAnswer with the option that is missing if nothing times the device work, or
/// the communication.
void model_missing_times(Capture& capture, const CommonOptions& options);

/// What a job ran on, and its calibration, if it was calibrated.
struct Hardware {
  Cluster cluster;
  std::optional<Calibration> calibration;
};

/// A capture and its replay.
struct Replayed {
  Capture capture;
  Hardware hardware;                              ///< where --network names a model
  const NetworkModel* network = nullptr;          ///< never null once replayed
  sim::Timeline timeline;                         ///< of capture.dag
  std::optional<sim::Perturbation> perturbation;  ///< where it was asked for and could be made
};

/// What the options say of loading; begins the phase "reading". Refers to its arguments.
[[nodiscard]] ingest::LoadOptions load_options(const CommonOptions& options, const Session& session,
                                               Progress& progress);

/// read(LoadOptions), with progress on standard error and after the threads are limited. Throws UsageError if -o is one
/// of the inputs: `inputs_of` returns those of what was read, or null.
template <class Read, class InputsOf>
[[nodiscard]] auto loaded(CommonOptions options, const Session& session, const Read& read, const InputsOf& inputs_of) {
  limit_threads(options.threads);
  Progress progress(options.quiet);
  auto result = read(load_options(options, session, progress));
  if (const std::vector<InputFile>* const inputs = inputs_of(result); inputs != nullptr && options.output)
    refuse_input_as_output(*options.output, *inputs);
  return result;
}

/// Loads the traces.
[[nodiscard]] Capture load_capture(const CommonOptions& options, const Session& session);

/// The same with the inputs that it is made from.
[[nodiscard]] ingest::SourcedCapture load_sourced_capture(const CommonOptions& options, const Session& session);

/// The same with what of it is BytePS's own comm.json, as it was recorded, and the text of its job.yaml.
struct StagedCapture {
  Capture capture;
  TraceDetails details;
  std::vector<ingest::RecordedStages> stages;
  std::optional<std::string> job_text;
};
[[nodiscard]] StagedCapture load_staged_capture(const CommonOptions& options, const Session& session);

/// What the traces hold, whether or not they make a job.
[[nodiscard]] ingest::Survey survey_capture(const CommonOptions& options, const Session& session);

/// The hardware that --cluster or the input describes, else what calibration finds in the capture. Adds
/// the file of --cluster to capture.inputs. Throws what calibrate() and read_cluster_file() throw.
[[nodiscard]] Hardware hardware_of(Capture& capture, const CommonOptions& options);

/// Loads the traces and replays them under the --network model, with progress on standard error. Checks -o
/// before it reads, so that nobody waits for a mistyped extension. With `test`, steps are also predicted from each
/// other (sim/analysis/perturbation.h), which takes a second replay.
[[nodiscard]] Replayed load_and_replay(CommonOptions options, const Session& session, bool test = false);

/// The same of a capture that is loaded.
[[nodiscard]] Replayed replay(Capture capture, CommonOptions options, const Session& session, bool test = false);

/// What the replay shows. Refers to `replayed`.
[[nodiscard]] sim::Findings findings_of(const Replayed& replayed);

/// What commands that replay can write to -o FILE.
[[nodiscard]] Writes writes_of_replay(std::string command);

/// What there is to write of a replay. Refers to its arguments.
[[nodiscard]] sim::Answer answer_of(const Replayed& replayed, const sim::Document& document,
                                    const Provenance& provenance);

/// Where the result comes from, if --json or -o says it; text reports do not.
[[nodiscard]] Provenance provenance_if_needed(const CommonOptions& options, const Session& session,
                                              const std::vector<InputFile>& inputs);

/// Prints `document` as text, or as one JSON object under --json.
void print_document(const sim::Document& document, const CommonOptions& options, const Session& session);

/// Ends a command: writes `answer` to -o FILE, if that is given, and prints `document`, which the answer
/// holds and which gets its origin here.
void report(sim::Document& document, const sim::Answer& answer, const CommonOptions& options, const Session& session);

/// Iterations that do one captured step again and again, and their replay.
struct Simulated {
  std::int64_t repeated = 0;  ///< the captured step's number
  Capture capture;
  sim::Timeline timeline;
};

/// Simulates `count` iterations of the typical step of a replay, under the same models. Throws what
/// with_repeated_step() throws.
[[nodiscard]] Simulated simulate_steps(const Replayed& replayed, std::size_t count, const CommonOptions& options,
                                       const Session& session);

}  // namespace stepsim::cli

#endif
