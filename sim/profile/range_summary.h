#ifndef STEPSIM_SIM_PROFILE_RANGE_SUMMARY_H
#define STEPSIM_SIM_PROFILE_RANGE_SUMMARY_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/units.h"
#include "model/job/range_profile.h"

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

// What an inline profile says of each range, as one figure instead of many.

struct RangeMeans {
  RangeMean length = RangeMean::kMedian;  ///< of ranges and of iterations
  RangeMean begin = RangeMean::kEarly;    ///< of where ranges begin
};

/// "BottomMLP.fc1.fprop": the layer and the name, as HugeCTR's parse_result writes them; the name alone of the layer
/// "High_Level". Where there are no layers, a name that comes several times on a stream has its place: "fprop#2".
/// In the order of profile.ranges.
[[nodiscard]] std::vector<std::string> labels_of(const RangeProfile& profile);

struct RangeSummary {
  std::size_t process = 0;  ///< index into ProfiledRun::processes
  std::size_t range = 0;    ///< index into RangeProfile::ranges
  std::string label;
  std::size_t depth = 0;  ///< how many ranges it lies in, by the order of their starts and stops
  Duration length{};
  std::optional<Duration> begin;  ///< after the iteration's start; nothing if that was not measured
};

/// One a range, by process, device, stream and begin. O(n log n + n * depth of nesting).
[[nodiscard]] std::vector<RangeSummary> summaries_of(const ProfiledRun& run, const RangeMeans& means);

/// What an iteration of the run takes: that of its slowest process. Nothing if no process measured one.
[[nodiscard]] std::optional<Duration> iteration_of(const ProfiledRun& run, RangeMean mean);

/// The number of devices with ranges, over all processes.
[[nodiscard]] std::size_t devices_in(const ProfiledRun& run);

/// How many ranges end before one of their stream has begun that starts earlier in the code, and of how many that can
/// be said. A timeline of undisturbed iterations has none.
struct OrderCheck {
  std::size_t contradicted = 0;
  std::size_t all = 0;
};
[[nodiscard]] OrderCheck order_of(const ProfiledRun& run, const std::vector<RangeSummary>& summaries);

}  // namespace stepsim::sim

#endif
