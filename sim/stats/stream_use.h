#ifndef STEPSIM_SIM_STATS_STREAM_USE_H
#define STEPSIM_SIM_STATS_STREAM_USE_H

#include <cstdint>
#include <string>
#include <vector>

#include "sim/stats/device_use.h"
#include "sim/stats/launches.h"

namespace stepsim::sim {

/// What waits for a device's stream, and what the stream waits for.
///
/// The queue holds what was launched and has not begun: from the begin of the launching call to the start of the work,
/// as HTA counts it (get_queue_length_summary).
///
/// The idle time of the stream (TimeUse::idle) divides into
///
///     idle = host wait + kernel wait + other wait + outside
///
/// exactly, by HTA's rule (get_idle_time_breakdown): between two pieces of work, it is a host wait if the second one's
/// call began after the first one had ended; else a kernel wait if it is shorter than kKernelWait, which is what the
/// device needs between two kernels; else other: another stream, an event, a collective. `outside` is before the
/// stream's first work and after its last, while other streams of its device were at work.
struct StreamUse {
  static constexpr std::size_t kFullQueue = 1024;  ///< launches that CUDA takes before calls block (HTA's default)
  static constexpr Duration kKernelWait{30'000};   ///< HTA's consecutive_kernel_delay: 30 us
  static constexpr std::size_t kMostPoints = 256;

  struct QueuePoint {
    Time time;
    std::size_t length = 0;
  };

  Rank rank = 0;
  std::int32_t device = 0;
  std::string stream;
  std::size_t launches = 0;  ///< pieces of work whose launch was recorded
  double mean_queue = 0;     ///< over the time from the first launch to the last start
  QueuePoint longest;        ///< the first of the longest
  Duration full{};           ///< while at least kFullQueue are in the queue
  Duration host_wait{};
  Duration kernel_wait{};
  Duration other_wait{};
  Duration outside{};
  std::vector<QueuePoint>
      curve;  ///< of each of at most kMostPoints equal stretches that have launches the longest queue
};

/// Of streams with a recorded launch, as `devices` has them. O(pieces), O(pieces log pieces) where
/// those of a stream are not in order of time.
[[nodiscard]] std::vector<StreamUse> stream_use(const MeasuredWork& work, const std::vector<Launch>& launches,
                                                const std::vector<DeviceUse>& devices);

}  // namespace stepsim::sim

#endif
