#ifndef STEPSIM_SIM_STATS_COPY_USE_H
#define STEPSIM_SIM_STATS_COPY_USE_H

#include <cstdint>
#include <string>
#include <vector>

#include "model/base/id.h"
#include "model/job/trace_details.h"
#include "sim/stats/measured_work.h"

namespace stepsim::sim {

/// Copies and memsets of a device with one name, as its trace has it: how much they move and how fast. HTA's
/// get_memory_bw_summary and get_memory_bw_time_series, nsys's cuda_gpu_mem_size_sum. Only those whose size was
/// recorded.
struct CopyUse {
  static constexpr std::size_t kMostPoints = 256;

  /// From `time` on, for as long as to the next point.
  struct RatePoint {
    Time time;
    double bytes_per_second = 0;
  };

  Rank rank = 0;
  std::string name;  ///< "Memcpy HtoD (Pinned -> Device)"
  std::size_t count = 0;
  Bytes total{};
  Bytes smallest{};
  Bytes median{};  ///< of an even number the mean of the two in the middle, rounded down
  Bytes largest{};
  Duration time{};          ///< the sum of their lengths
  double highest_rate = 0;  ///< of a single one, in bytes per second; those that took no time aside
  /// The mean rate of each of at most kMostPoints equal stretches from the first to the last one, where it is another
  /// than before; 0 at the end.
  std::vector<RatePoint> curve;

  /// Bytes per second while they run; 0 if they took no time.
  [[nodiscard]] double rate() const noexcept;
};

/// By rank, then the most bytes first; empty where no sizes were recorded. O(copies (log copies + stretches of the
/// curve that a copy crosses)).
[[nodiscard]] std::vector<CopyUse> copy_use(const MeasuredWork& work);

/// What a communication library told of one kind of operation of one rank in one group.
struct RankTransport {
  Rank rank = 0;
  TransportUse use;
};

/// By rank, then by the time that their pieces took in the network and in waiting, the longest first. O(n log n).
[[nodiscard]] std::vector<RankTransport> transport_use(const TraceDetails& details);

}  // namespace stepsim::sim

#endif
