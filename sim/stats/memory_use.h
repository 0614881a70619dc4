#ifndef STEPSIM_SIM_STATS_MEMORY_USE_H
#define STEPSIM_SIM_STATS_MEMORY_USE_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/base/id.h"
#include "model/job/allocations.h"
#include "model/job/trace_details.h"
#include "sim/stats/measured_work.h"

namespace stepsim::sim {

/// The memory allocated on one device.
struct MemoryUse {
  Rank rank = 0;
  std::string device;  ///< for example "CPU", "device 0"
  std::size_t allocations = 0;
  std::size_t releases = 0;
  Bytes allocated_in_all{};     ///< sum of the sizes of all allocations
  AllocationTable::Event peak;  ///< the first time when the most memory was allocated
  Bytes most_reserved{};
  Bytes first{};  ///< memory allocated after the first event
  Bytes last{};   ///< memory allocated after the last event
  /// The curve of allocated memory. Time is divided into at most kMostPoints equal intervals. Each interval that
  /// contains events gives one point: the maximum in the interval, with its time. The curve therefore includes the
  /// peak.
  std::vector<AllocationTable::Event> curve;
  static constexpr std::size_t kMostPoints = 256;
};

/// Returns one entry for each memory of the table. O(events).
[[nodiscard]] std::vector<MemoryUse> memory_use(const AllocationTable& allocations);

/// The copies and memsets of a device that have the same name in its trace: how much they move and how fast.
/// Corresponds to HTA's get_memory_bw_summary and get_memory_bw_time_series and nsys's cuda_gpu_mem_size_sum. Only
/// copies with a recorded size count.
struct CopyUse {
  static constexpr std::size_t kMostPoints = 256;

  /// A rate that applies from `time` to the next point.
  struct RatePoint {
    Time time;
    double bytes_per_second = 0;
  };

  Rank rank = 0;
  std::string name;  ///< for example "Memcpy HtoD (Pinned -> Device)"
  std::size_t count = 0;
  Bytes total{};
  Bytes smallest{};
  Bytes median{};  ///< median; for an even number, the mean of the middle two, rounded down
  Bytes largest{};
  Duration time{};          ///< sum of the copies' durations
  double highest_rate = 0;  ///< the highest rate of a single copy in bytes per second, ignoring copies of zero duration
  /// The mean rates of at most kMostPoints equal intervals between the first and the last copy. Intervals with the same
  /// rate as the one before are left out; the last point is 0.
  std::vector<RatePoint> curve;

  /// Returns the bytes per second while the copies run; 0 if they took no time.
  [[nodiscard]] double rate() const noexcept;
};

/// Returns the copies by rank, then by bytes, the most first; empty if no sizes were recorded. O(copies (log copies +
/// curve intervals that a copy spans)).
[[nodiscard]] std::vector<CopyUse> copy_use(const MeasuredWork& work);

/// A communication library's record of one kind of operation, for one rank and group.
struct RankTransport {
  Rank rank = 0;
  TransportUse use;
};

/// Returns the entries by rank, then by total time, the longest first. The total time of an entry includes how long its
/// pieces were transferred and waited. O(n log n).
[[nodiscard]] std::vector<RankTransport> transport_use(const TraceDetails& details);

}  // namespace stepsim::sim

#endif
