#ifndef STEPSIM_SIM_CHECK_CHECKUP_H
#define STEPSIM_SIM_CHECK_CHECKUP_H

#include <functional>
#include <vector>

#include "sim/check/findings.h"
#include "sim/report/capture_trust.h"

namespace stepsim::sim {

/// The assessment of a capture.
struct Checkup {
  Verdict verdict = Verdict::kGood;
  Questions applicable;           ///< the questions that make sense for the captured job
  std::vector<Finding> findings;  ///< findings, the most severe first
  /// Returns the worst cost of the findings that affect `question`.
  [[nodiscard]] Cost cost_of(Question question) const noexcept;
};

/// Assesses a capture. Its verdict is unusable if no replay can be trusted, and doubtful if the replay is weakened or
/// another question cannot be answered. O(size of the summary); does not read files or replay.
[[nodiscard]] Checkup check(const Examined& examined);

/// Assesses a loaded capture. `replay` can be null; its findings are then missing.
[[nodiscard]] Checkup checkup_of(const Capture& capture, const ReplayCheck* replay);

/// Returns the verdict on the capture, and what a reader must know before answers to the `asked` questions: what part
/// of the input could not be used, and which findings make answers unreliable, of those for which `counts` is true, or
/// of all if it is empty. O(findings + diagnostics).
[[nodiscard]] CaptureTrust trust_in(const Capture& capture, const Checkup& checkup, Questions asked,
                                    const std::function<bool(const Finding& finding)>& counts = {});

}  // namespace stepsim::sim

#endif
