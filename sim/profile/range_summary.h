#ifndef STEPSIM_SIM_PROFILE_RANGE_SUMMARY_H
#define STEPSIM_SIM_PROFILE_RANGE_SUMMARY_H

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "model/job/range_profile.h"
#include "sim/profile/range_mean.h"

/// What an inline profile says of each range, as one figure instead of many.
namespace stepsim::sim {

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
