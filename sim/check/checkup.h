#ifndef STEPSIM_SIM_CHECK_CHECKUP_H
#define STEPSIM_SIM_CHECK_CHECKUP_H

#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/check/findings.h"

namespace stepsim::sim {

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
