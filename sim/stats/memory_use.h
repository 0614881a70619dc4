#ifndef STEPSIM_SIM_STATS_MEMORY_USE_H
#define STEPSIM_SIM_STATS_MEMORY_USE_H

#include <cstddef>
#include <string>
#include <vector>

#include "model/job/trace_details.h"

namespace stepsim::sim {

/// The memory allocated on one device.
struct MemoryUse {
  Rank rank = 0;
  std::string device;  ///< for example "CPU", "device 0"
  std::size_t allocations = 0;
  std::size_t releases = 0;
  Bytes allocated_in_all{};        ///< sum of the sizes of all allocations
  TraceDetails::MemoryPoint peak;  ///< the first time when the most memory was allocated
  Bytes most_reserved{};
  Bytes first{};  ///< memory allocated after the first event
  Bytes last{};   ///< memory allocated after the last event
  /// The curve of allocated memory. Time is divided into at most kMostPoints equal intervals. Each interval that
  /// contains events gives one point: the maximum in the interval, with its time. The curve therefore includes the
  /// peak.
  std::vector<TraceDetails::MemoryPoint> curve;
  static constexpr std::size_t kMostPoints = 256;
};

/// Returns one entry for each device of each rank that allocated; empty if the profiler did not record allocations.
/// O(events).
[[nodiscard]] std::vector<MemoryUse> memory_use(const TraceDetails& details);

}  // namespace stepsim::sim

#endif
