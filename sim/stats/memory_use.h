#ifndef STEPSIM_SIM_STATS_MEMORY_USE_H
#define STEPSIM_SIM_STATS_MEMORY_USE_H

#include <cstddef>
#include <string>
#include <vector>

#include "model/job/trace_details.h"

namespace stepsim::sim {

/// What was allocated on one device.
struct MemoryUse {
  Rank rank = 0;
  std::string device;  ///< "CPU", "device 0"
  std::size_t allocations = 0;
  std::size_t releases = 0;
  Bytes allocated_in_all{};        ///< what allocations sum to
  TraceDetails::MemoryPoint peak;  ///< the first of the most that was allocated
  Bytes most_reserved{};
  Bytes first{};  ///< allocated after the first event
  Bytes last{};   ///< and after the last one
  /// The curve: of each of at most kMostPoints equal stretches of time that have events the most allocated, and when.
  /// So the peak is on it.
  std::vector<TraceDetails::MemoryPoint> curve;
  static constexpr std::size_t kMostPoints = 256;
};

/// One for each device of each rank that allocated; empty where the profiler did not record that. O(events).
[[nodiscard]] std::vector<MemoryUse> memory_use(const TraceDetails& details);

}  // namespace stepsim::sim

#endif
