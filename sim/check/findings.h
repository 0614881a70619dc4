#ifndef STEPSIM_SIM_CHECK_FINDINGS_H
#define STEPSIM_SIM_CHECK_FINDINGS_H

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/diagnostics.h"
#include "model/job/capture_contents.h"
#include "model/job/recording.h"
#include "sim/analysis/critical_path.h"
#include "sim/analysis/perturbation.h"
#include "sim/analysis/summary.h"
#include "sim/check/question.h"

namespace stepsim::sim {

/// How severely a finding affects the answers to its questions, most severe first.
enum class Cost : std::uint8_t {
  kPrevents,  ///< no answer to these questions can be trusted
  kExposes,   ///< answers are correct, but whoever gets the file can act in its owner's name
  kWeakens,   ///< an answer may be wrong by more than the predicted effect
  kBlurs,     ///< an answer is slightly less certain
  kNothing,   ///< the finding is only information
};
/// Returns "prevents", "exposes", "weakens", "blurs", "note".
[[nodiscard]] std::string_view to_text(Cost cost) noexcept;

/// Something that a capture lacks or that is wrong with it.
struct Finding {
  std::string name;  ///< the kind, a stable identifier: "no_shapes", or a diagnostic's name
  Cost cost = Cost::kNothing;
  Questions weakens;            ///< the affected questions; empty for kNothing
  std::uint64_t count = 0;      ///< number of events, files or ranks; 0 if there is nothing to count
  std::optional<double> share;  ///< the share that `sentence` states; absent if it states none
  std::string sentence;         ///< what was found, without a full stop
  std::string effect;           ///< how it changes the answers, in full sentences
  std::string remedy;           ///< an instruction that avoids or repairs it, without a full stop; may be empty
  /// The source of uncertainty that covers its effect in the range of an answer (scenarios/answer/interval_sources.h);
  /// empty if none does.
  std::string_view in_range{};
};

/// The results of replaying a capture.
struct ReplayCheck {
  Summary summary;
  IterationPath path;
  std::optional<Perturbation> perturbation;
  /// The time of steps that are repeated until they are steady, if it contradicts the captured steps
  /// (contradicted_repetition()).
  std::optional<Duration> contradicted_repetition;
};

/// Everything known about a capture that check() assesses. Keeps references to its inputs.
struct Examined {
  const CaptureContents& contents;
  const Diagnostics& diagnostics;
  const Capture* capture = nullptr;     ///< null if the files do not form a job
  std::string problem;                  ///< why the files do not form a job
  const ReplayCheck* replay = nullptr;  ///< null if there is no capture
};

/// True if the job is a step that `stepsim model` wrote.
[[nodiscard]] bool is_modelled_step(const Examined& examined);

// The sources of findings, in the order in which check() calls them.

/// Finds problems of files and jobs in general, and what BytePS jobs and task graphs lack.
[[nodiscard]] std::vector<Finding> other_job_findings(const Examined& examined);

/// Returns the diagnostics of reading and joining the files, each with its cost. Leaves out diagnostics without loss,
/// and those that another finding covers.
[[nodiscard]] std::vector<Finding> diagnostic_findings(const Examined& examined);

/// Finds host and device events that were not recorded: steps, shapes, waits, sizes, ranks.
[[nodiscard]] std::vector<Finding> recording_findings(const Examined& examined);

/// Finds what the replay shows: its error, and how much of it depends on inferred dependencies.
[[nodiscard]] std::vector<Finding> replay_findings(const Examined& examined);

/// Finds data that identifies who made the files, or lets others act in their name.
[[nodiscard]] std::vector<Finding> privacy_findings(const Examined& examined);

}  // namespace stepsim::sim

#endif
