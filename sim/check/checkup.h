#ifndef STEPSIM_SIM_CHECK_CHECKUP_H
#define STEPSIM_SIM_CHECK_CHECKUP_H

#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/check/findings.h"

namespace stepsim::sim {

enum class Verdict : std::uint8_t { kGood, kDoubtful, kUnusable };
/// Returns "good", "doubtful", "unusable".
[[nodiscard]] std::string_view to_text(Verdict verdict) noexcept;

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

/// Returns what a reader must know before answers to the `asked` questions: what part of the input could not be used,
/// and why answers are unreliable, by check() without a replay. Empty if there is nothing to say. O(size of the
/// capture's contents and diagnostics).
[[nodiscard]] std::string caution_of(const Capture& capture, Questions asked);

}  // namespace stepsim::sim

#endif
