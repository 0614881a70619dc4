#ifndef STEPSIM_SIM_PROFILE_SCALING_H
#define STEPSIM_SIM_PROFILE_SCALING_H

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sim/profile/range_summary.h"

namespace stepsim::sim {

/// What a label takes in one run, over all processes, devices and streams that have it.
struct LabelCost {
  std::size_t label = 0;  ///< index into Scaling::labels
  std::size_t streams = 0;
  Duration average{};
  Duration most{};
  std::string where;  ///< the slowest: "luna-0173, device 3"
};

struct ScalingRun {
  std::string name;
  std::size_t processes = 0;
  std::size_t devices = 0;
  std::size_t iterations = 0;         ///< measured, of all processes
  std::optional<Duration> iteration;  ///< of the slowest process
  std::vector<LabelCost> costs;       ///< in the order of the labels
  Duration average{};                 ///< sums over costs; the longest Duration where a sum does not fit
  Duration most{};
};

/// Several runs beside each other.
struct Scaling {
  RangeMean mean = RangeMean::kMedian;
  std::vector<std::string> labels;  ///< the one that takes longest on average in any run first
  std::vector<ScalingRun> runs;
};

/// Sums what runs measured by label. `wanted` are labels or layers, of which all ranges count; without any, those that
/// lie in no other range, so that none counts twice. Throws UsageError for one that no run has, with the nearest.
/// O(n log n).
[[nodiscard]] Scaling scaling_of(const std::vector<ProfiledRun>& runs, const std::vector<std::string>& wanted,
                                 RangeMean mean);

}  // namespace stepsim::sim

#endif
