#ifndef STEPSIM_SIM_STATS_PROFILE_STATISTICS_H
#define STEPSIM_SIM_STATS_PROFILE_STATISTICS_H

#include "model/job/range_profile.h"
#include "sim/stats/statistics.h"

namespace stepsim::sim {

/// What an inline profiler measured, by range, layer, lane (stream) or rank (device): each measurement is a piece. The
/// time of a range holds that of the ranges in it, so shares are of those that lie in no other. Throws CannotAnswer for
/// other keys, and where no range has a layer. O(measurements log measurements).
[[nodiscard]] Statistics statistics_of(const ProfiledRun& run, const StatsOptions& options);

}  // namespace stepsim::sim

#endif
