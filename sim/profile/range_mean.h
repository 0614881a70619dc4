#ifndef STEPSIM_SIM_PROFILE_RANGE_MEAN_H
#define STEPSIM_SIM_PROFILE_RANGE_MEAN_H

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "model/base/units.h"

namespace stepsim::sim {

/// One figure for many measurements. Stalls of the host fall upon single iterations and can be a hundred times as long
/// as one, so the arithmetic mean is that of the stalls. They make a range begin later and never earlier: where ranges
/// begin is told best by the early ones, even if most iterations were disturbed.
enum class RangeMean : std::uint8_t {
  kMedian,
  kTrimmed,     ///< the mean without the least and the largest fifth (Wilcox, Introduction to Robust Estimation)
  kArithmetic,  ///< what HugeCTR's parse_result takes
  kEarly,       ///< the first decile: a tenth of the measurements is less
};

struct NamedMean {
  std::string_view name;  ///< as typed, and in JSON
  RangeMean mean;
  std::string_view words;  ///< for sentences
};
/// "median", "trimmed", "arithmetic", "early".
inline constexpr std::array<NamedMean, 4> kRangeMeans{
    NamedMean{"median", RangeMean::kMedian, "median"}, NamedMean{"trimmed", RangeMean::kTrimmed, "trimmed mean"},
    NamedMean{"arithmetic", RangeMean::kArithmetic, "arithmetic mean"},
    NamedMean{"early", RangeMean::kEarly, "first decile"}};
[[nodiscard]] std::string_view to_text(RangeMean mean) noexcept;
/// "median", "trimmed mean", "arithmetic mean", "first decile".
[[nodiscard]] std::string_view in_words(RangeMean mean) noexcept;

/// Rounded down to whole nanoseconds; nothing of none. Precondition: none is negative or longer than a day.
/// O(n log n).
[[nodiscard]] std::optional<Duration> mean_of(std::vector<Duration> measured, RangeMean mean);

}  // namespace stepsim::sim

#endif
