#ifndef STEPSIM_CLI_WORK_WORK_H
#define STEPSIM_CLI_WORK_WORK_H

#include <optional>
#include <string>

#include "cli/program/command.h"
#include "cli/program/options.h"
#include "cli/program/provenance.h"
#include "model/calibration/calibration.h"
#include "model/job/recording.h"
#include "sim/engine/timeline.h"
#include "sim/report/critical_path.h"
#include "sim/report/document.h"
#include "sim/report/summary.h"

namespace stepsim::cli {

/// What a job ran on, and how that was found if it was calibrated.
struct Hardware {
  Cluster cluster;
  std::optional<Calibration> calibration;
};

/// What every command on traces begins with.
struct Replayed {
  Capture capture;
  Hardware hardware;                      ///< where --network names a model
  const NetworkModel* network = nullptr;  ///< never null once replayed
  sim::Timeline timeline;                 ///< of capture.dag
};

/// Loads the traces, with progress on standard error.
[[nodiscard]] Capture load_capture(CommonOptions options, const Session& session);

/// What --cluster or the input itself says, else what the capture shows. Adds the file to
/// capture.inputs. Throws what calibrate() and read_cluster_file() throw.
[[nodiscard]] Hardware hardware_of(Capture& capture, const CommonOptions& options);

/// Loads the traces and replays them under the network model asked for, with progress on standard error. Refuses a
/// bad -o before it reads, so that nobody waits for a mistyped extension.
[[nodiscard]] Replayed load_and_replay(CommonOptions options, const Session& session);

/// A path and what it is the path of: "the replay", "rank 1's step 5".
struct NamedPath {
  sim::CriticalPath path;
  std::string of;
};

/// The path of one iteration: of the median step of the slowest rank. Without steps, of the
/// whole replay. (Over several steps the path of the whole may run through a thread that only
/// ends last, a watchdog for one, and would say nothing about a step.)
[[nodiscard]] NamedPath path_of_iteration(const Capture& capture, const sim::Timeline& timeline,
                                          const sim::Summary& summary);
[[nodiscard]] NamedPath path_of_iteration(const Replayed& replayed, const sim::Summary& summary);

/// Where the result comes from, if it is to be told: text reports do not say.
[[nodiscard]] Provenance provenance_if_needed(const CommonOptions& options, const Session& session,
                                              const Capture& capture);

/// Prints `document` as text, or as one JSON object under --json.
void print_document(const sim::Document& document, const CommonOptions& options, const Session& session);

/// Throws UsageError if `output` is one of the files that were read.
void refuse_input_as_output(const std::string& output, const std::vector<std::string>& inputs);

/// Writes the replay to -o FILE, if that was given. Throws OutputError; UsageError if FILE is
/// one of the inputs.
void export_if_asked(const CommonOptions& options, const Replayed& replayed, const Provenance& provenance);

}  // namespace stepsim::cli

#endif
