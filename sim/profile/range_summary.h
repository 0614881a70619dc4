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

/// How to combine many measurements into one figure. Host stalls affect single iterations and can be a hundred times as
/// long as one, so they dominate the arithmetic mean. A stall makes a range begin later, never earlier, so the early
/// measurements show best where ranges begin, even if most iterations were disturbed.
enum class RangeMean : std::uint8_t {
  kMedian,
  kTrimmed,     ///< the mean without the lowest and the highest fifth (Wilcox, Introduction to Robust Estimation)
  kArithmetic,  ///< used by HugeCTR's parse_result
  kEarly,       ///< the first decile: a tenth of the measurements is smaller
};

struct NamedMean {
  std::string_view name;  ///< name as typed, and in JSON
  RangeMean mean;
  std::string_view words;  ///< name in sentences
};
/// All means by name: "median", "trimmed", "arithmetic", "early".
inline constexpr std::array<NamedMean, 4> kRangeMeans{
    NamedMean{"median", RangeMean::kMedian, "median"}, NamedMean{"trimmed", RangeMean::kTrimmed, "trimmed mean"},
    NamedMean{"arithmetic", RangeMean::kArithmetic, "arithmetic mean"},
    NamedMean{"early", RangeMean::kEarly, "first decile"}};
[[nodiscard]] std::string_view to_text(RangeMean mean) noexcept;
/// Returns "median", "trimmed mean", "arithmetic mean", "first decile".
[[nodiscard]] std::string_view in_words(RangeMean mean) noexcept;

/// Returns the mean, rounded down to whole nanoseconds; nothing for an empty list. Precondition: no value is negative
/// or longer than a day. O(n log n).
[[nodiscard]] std::optional<Duration> mean_of(std::vector<Duration> measured, RangeMean mean);

// The means that represent the measurements of a range in an inline profile.

struct RangeMeans {
  RangeMean length = RangeMean::kMedian;  ///< mean for the lengths of ranges and iterations
  RangeMean begin = RangeMean::kEarly;    ///< mean for the begins of ranges
};

/// Returns the label of each range, in the order of profile.ranges: layer and name, as HugeCTR's parse_result writes
/// them ("BottomMLP.fc1.fprop"), or the name alone for the layer "High_Level". Without layers, a name that occurs
/// several times on a stream gets a number: "fprop#2".
[[nodiscard]] std::vector<std::string> labels_of(const RangeProfile& profile);

struct RangeSummary {
  std::size_t process = 0;  ///< index into ProfiledRun::processes
  std::size_t range = 0;    ///< index into RangeProfile::ranges
  std::string label;
  std::size_t depth = 0;  ///< number of ranges around it, by the order of their starts and stops
  Duration length{};
  std::optional<Duration> begin;  ///< relative to the iteration's start; nothing if it was not measured
};

/// Returns one summary per range, sorted by process, device, stream and begin. O(n log n + n * depth of nesting).
[[nodiscard]] std::vector<RangeSummary> summaries_of(const ProfiledRun& run, const RangeMeans& means);

/// Returns the iteration of the run's slowest process; nothing if no process measured one.
[[nodiscard]] std::optional<Duration> iteration_of(const ProfiledRun& run, RangeMean mean);

/// Returns the number of devices with ranges, over all processes.
[[nodiscard]] std::size_t devices_in(const ProfiledRun& run);

/// Counts ranges whose measured order contradicts the code: they end before another range of their stream begins,
/// although the other range comes first in the code. A timeline of undisturbed iterations has no such ranges. `all` is
/// the number of ranges that could be checked.
struct OrderCheck {
  std::size_t contradicted = 0;
  std::size_t all = 0;
};
[[nodiscard]] OrderCheck order_of(const ProfiledRun& run, const std::vector<RangeSummary>& summaries);

}  // namespace stepsim::sim

#endif
