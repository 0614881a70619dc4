#ifndef STEPSIM_CLI_WORK_WORK_H
#define STEPSIM_CLI_WORK_WORK_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cli/program/command.h"
#include "cli/program/options.h"
#include "cli/program/process.h"
#include "cli/program/provenance.h"
#include "cli/program/stages.h"
#include "cli/program/terminal.h"
#include "cli/work/result.h"
#include "ingest/load/load.h"
#include "ingest/load/recorded_stages.h"
#include "ingest/privacy/hidden_names.h"
#include "ingest/survey/survey.h"
#include "model/calibration/calibration.h"
#include "model/job/recording.h"
#include "sim/check/findings.h"
#include "sim/engine/timeline.h"
#include "sim/export/exporter.h"
#include "sim/report/document.h"
#include "sim/report/report.h"

namespace stepsim::cli {

/// If the input has device work without durations, models them for the device of --cluster. Other captures are
/// unchanged. Throws CannotAnswer, which names the missing option, if the durations of device work or of communication
/// are neither recorded nor can be modelled.
void model_missing_times(Capture& capture, const CommonOptions& options);

/// A job's hardware, and its calibration if it was calibrated.
struct Hardware {
  Cluster cluster;
  std::optional<Calibration> calibration;
};

/// A capture and its replay.
struct Replayed {
  std::shared_ptr<const Capture> held;
  const Capture& capture;                         ///< *held
  Hardware hardware;                              ///< set if --network selects a model
  const NetworkModel* network = nullptr;          ///< not null after the replay
  sim::Timeline timeline;                         ///< a replay of capture.dag
  std::optional<sim::Perturbation> perturbation;  ///< set if it was requested and possible
};

/// Returns what answers with these options do not say: with --anonymous names of hosts and folders, in pages and
/// pictures names of hosts unless --host-names was given.
[[nodiscard]] ingest::Hidden hidden_in(const CommonOptions& options);
/// Throws UsageError if --anonymous was given. `why` says why the output keeps all names.
void refuse_anonymous(const CommonOptions& options, std::string_view why);
/// Returns TRACE as answers name it: as typed, or without what hidden_in() hides. `inputs` are the files read from it.
[[nodiscard]] std::string name_in_answers(const std::string& trace, const CommonOptions& options,
                                          const std::vector<InputFile>& inputs);
/// Returns the --cluster file as answers name it: without its folder after --anonymous. Precondition: there is one.
[[nodiscard]] std::string name_of_cluster_file(const CommonOptions& options);

/// Returns the progress of a command: on standard error, or for its Host.
[[nodiscard]] Progress progress_of(const CommonOptions& options, const Session& session);

/// Returns the options for loading; begins the phase "reading". Keeps references to its arguments.
[[nodiscard]] ingest::LoadOptions load_options(const CommonOptions& options, const Session& session,
                                               Progress& progress);

/// A capture with BytePS's own comm.json as it was recorded, and the text of its job.yaml.
struct StagedCapture {
  Capture capture;
  TraceDetails details;
  std::vector<ingest::RecordedStages> stages;
  std::optional<std::string> job_text;
};

// hide_names() (ingest/privacy/hidden_names.h) for everything that loaded() loads.
using ingest::hide_names;
inline void hide_names(StagedCapture& staged, ingest::Hidden hidden) { hide_names(staged.capture, hidden); }
inline void hide_names(ingest::Survey& survey, ingest::Hidden hidden) {
  hide_names(survey.capture, survey.contents, survey.diagnostics, survey.problem, hidden);
}
inline void hide_names(std::variant<ingest::LoadedRun, ingest::DetailedCapture>& measured, ingest::Hidden hidden) {
  std::visit([hidden](auto& one) { hide_names(one, hidden); }, measured);
}

/// Reduces options.threads to what can be used: limit_threads(), or fit_threads() in the process of a Host.
void limit_threads(CommonOptions& options, const Session& session);

/// Limits the threads, then calls read(LoadOptions) with progress on standard error, and returns its result. Throws
/// UsageError if -o is one of the inputs. `inputs_of` returns a pointer to the inputs of the result, or null.
template <class Read, class InputsOf>
[[nodiscard]] auto loaded(CommonOptions options, const Session& session, const Read& read, const InputsOf& inputs_of) {
  limit_threads(options, session);
  Progress progress = progress_of(options, session);
  auto result = read(load_options(options, session, progress));
  begin_stage(session, "analysing");
  if (const std::vector<InputFile>* const inputs = inputs_of(result); inputs != nullptr && options.output)
    refuse_input_as_output(*options.output, *inputs);
  hide_names(result, hidden_in(options));
  return result;
}

/// Loads the traces, or returns what an earlier command of the Host has loaded.
[[nodiscard]] std::shared_ptr<const Capture> shared_capture(const CommonOptions& options, const Session& session);
/// Returns shared_capture() as a copy that can be changed.
[[nodiscard]] Capture load_capture(const CommonOptions& options, const Session& session);

/// Loads the traces like load_capture(). Also returns a description of each input from which the capture was made.
[[nodiscard]] ingest::SourcedCapture load_sourced_capture(const CommonOptions& options, const Session& session);

[[nodiscard]] StagedCapture load_staged_capture(const CommonOptions& options, const Session& session);

/// Reads the traces and returns what they contain, even if they do not form a job.
[[nodiscard]] ingest::Survey survey_capture(const CommonOptions& options, const Session& session);

/// Returns the hardware that --cluster or the input describes, or else what calibration finds in the capture. Adds the
/// file of --cluster to capture.inputs. Throws what calibrate() and read_cluster_file() throw.
[[nodiscard]] Hardware hardware_of(Capture& capture, const CommonOptions& options);

/// Loads the traces and replays them under the --network model, with progress on standard error. Checks -o before it
/// reads, so that a mistyped extension is reported immediately. If `test` is true, also predicts each step with the
/// graph of another step (sim/analysis/perturbation.h); this needs a second replay.
[[nodiscard]] Replayed load_and_replay(CommonOptions options, const Session& session, bool test = false);

/// Replays a loaded capture in the same way as load_and_replay().
[[nodiscard]] Replayed replay(Capture capture, CommonOptions options, const Session& session, bool test = false);

/// Replays the recorded times of a capture that is prepared already, and tests its graph as load_and_replay() does.
/// `capture` must outlive the result.
[[nodiscard]] Replayed replay_recorded(const Capture& capture, CommonOptions options, const Session& session);

/// Computes the results of the replay. Keeps references to `replayed`.
[[nodiscard]] sim::Findings findings_of(const Replayed& replayed);

/// Returns the results that sim::check() assesses.
[[nodiscard]] sim::ReplayCheck replay_check_of(const sim::Findings& findings);

/// Returns what slow ranks cost (sim/analysis/slow_ranks.h), with progress on standard error. Throws CannotAnswer if
/// fewer than two ranks have steps.
[[nodiscard]] sim::SlowRanks slow_ranks_of(const Replayed& replayed, const CommonOptions& options,
                                           const Session& session);

/// Returns the content that a command called `command` can write to -o FILE if it replays the traces.
[[nodiscard]] Writes writes_of_replay(std::string command);

/// Returns the results of a replay in the form that exporters write, without a document. Keeps references to its
/// arguments.
[[nodiscard]] sim::Answer answer_of(const Replayed& replayed, const Provenance& provenance);

/// Returns the provenance of the result if --json or -o was given or a Host keeps it. Otherwise empty, because reports
/// do not show it.
[[nodiscard]] Provenance provenance_if_needed(const CommonOptions& options, const Session& session,
                                              const std::vector<InputFile>& inputs);

/// Iterations that repeat one captured step, and their replay.
struct Simulated {
  std::int64_t repeated = 0;  ///< number of the captured step
  Capture capture;
  sim::Timeline timeline;
};

/// Simulates `count` iterations of the typical step of a replay, under the same models. Throws what
/// with_repeated_step() throws.
[[nodiscard]] Simulated simulate_steps(const Replayed& replayed, std::size_t count, const CommonOptions& options,
                                       const Session& session);

}  // namespace stepsim::cli

#endif
