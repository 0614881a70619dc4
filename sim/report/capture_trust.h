#ifndef STEPSIM_SIM_REPORT_CAPTURE_TRUST_H
#define STEPSIM_SIM_REPORT_CAPTURE_TRUST_H

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "sim/report/field.h"

namespace stepsim::sim {

/// How far a capture can be trusted. Only check() decides this (sim/check/checkup.h); every answer repeats it.
enum class Verdict : std::uint8_t { kGood, kDoubtful, kUnusable };
/// Returns "good", "doubtful", "unusable".
[[nodiscard]] constexpr std::string_view to_text(Verdict verdict) noexcept {
  switch (verdict) {
    case Verdict::kGood: return "good";
    case Verdict::kDoubtful: return "doubtful";
    case Verdict::kUnusable: return "unusable";
  }
  return "";
}

/// What a reader must know about the capture before the figures of an answer.
struct CaptureTrust {
  Verdict verdict = Verdict::kGood;
  std::string warning;  ///< says that the capture is not what it seems to be; may be empty
  std::string caution;  ///< says what makes this answer unreliable; may be empty
  /// Says how far answers of this kind were off in comparisons with measured runs; empty if it is not a prediction.
  std::string evidence{};
  std::string findings{};  ///< the names of the findings that weaken such answers, whether they move this one or not
};
inline constexpr auto kCaptureTrust = std::to_array<Field<CaptureTrust>>({
    {"verdict", at<&CaptureTrust::verdict>},
    {"warning", at<&CaptureTrust::warning>},
    {"caution", at<&CaptureTrust::caution>},
    {"evidence", at<&CaptureTrust::evidence>},
    {"findings", at<&CaptureTrust::findings>},
});

}  // namespace stepsim::sim

#endif
