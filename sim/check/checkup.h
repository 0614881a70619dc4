#ifndef STEPSIM_SIM_CHECK_CHECKUP_H
#define STEPSIM_SIM_CHECK_CHECKUP_H

#include <optional>
#include <string>
#include <vector>

#include "model/base/diagnostics.h"
#include "model/job/capture_contents.h"
#include "model/job/recording.h"
#include "sim/analysis/critical_path.h"
#include "sim/analysis/perturbation.h"
#include "sim/analysis/summary.h"
#include "sim/check/finding.h"

namespace stepsim::sim {

/// How the replay of a capture came out.
struct ReplayCheck {
  Summary summary;
  IterationPath path;
  std::optional<Perturbation> perturbation;
};

/// What is known of a capture that is to be judged. Refers to what it was made from.
struct Examined {
  const CaptureContents& contents;
  const Diagnostics& diagnostics;
  const Capture* capture = nullptr;     ///< null: the files make no job
  std::string problem;                  ///< then why not
  const ReplayCheck* replay = nullptr;  ///< null where there is no capture
};

enum class Verdict : std::uint8_t { kGood, kDoubtful, kUnusable };
/// "good", "doubtful", "unusable".
[[nodiscard]] std::string_view to_text(Verdict verdict) noexcept;

/// The judgement on a capture.
struct Checkup {
  Verdict verdict = Verdict::kGood;
  Questions applicable;           ///< what there is to ask of such a job at all
  std::vector<Finding> findings;  ///< the dearest first
  /// What the findings leave of each question: the dearest cost of those that weaken it.
  [[nodiscard]] Cost cost_of(Question question) const noexcept;
};

/// Judges a capture. Unusable is one of which no replay can be trusted; doubtful one whose replay is weakened.
/// O(what the summary is made of); nothing is read and nothing replayed.
[[nodiscard]] Checkup check(const Examined& examined);

}  // namespace stepsim::sim

#endif
