#ifndef STEPSIM_SIM_STATS_LAUNCHES_H
#define STEPSIM_SIM_STATS_LAUNCHES_H

#include <cstdint>
#include <string>
#include <vector>

#include "sim/stats/device_use.h"
#include "sim/stats/distribution.h"
#include "sim/stats/measured_work.h"

namespace stepsim::sim {

/// A piece of device work and the call on the host that launched it.
struct Launch {
  std::uint32_t piece = 0;  ///< index into MeasuredWork::pieces
  std::uint32_t by = 0;     ///< index of the call in TraceDetails::calls
};

/// Returns the launches by piece. Work without a recorded launch has none. O(pieces).
[[nodiscard]] std::vector<Launch> launches(const MeasuredWork& work);

/// How the device work of one name was launched. HTA's get_cuda_kernel_launch_stats lists this for each launch; nsys
/// (cuda_kern_exec_sum) calls it API, queue and kernel time.
struct LaunchUse {
  std::string name;
  Distribution call;   ///< duration of the launching calls
  Distribution delay;  ///< time from a call's end to the start of its work; 0 if the work began before the call's end
  Distribution work;   ///< duration of the work
  std::size_t short_ones = 0;  ///< pieces that were shorter than their launching call
};

/// Returns the uses by name, the most device time first. O(launches + names log names).
[[nodiscard]] std::vector<LaunchUse> launch_use(const MeasuredWork& work, const std::vector<Launch>& launches);

/// A sequence of device work that calls of one operator launch repeatedly in the same order. It could be fused, or
/// launched as one graph. Corresponds to HTA's get_frequent_cuda_kernel_sequences, but covers all operators.
struct KernelSequence {
  static constexpr std::size_t kFewest = 3;  ///< minimum pieces of work, as in HTA

  std::string name;                  ///< name of the outermost operator around the launches
  std::vector<std::string> kernels;  ///< sorted by start
  std::size_t calls = 0;
  Duration device{};  ///< device time of all calls
  Duration host{};    ///< host time of the calls
};

/// Returns sequences of at least kFewest pieces, the most frequent first, then those with the most device time. The
/// result is empty if operators or launches were not recorded. O(calls + launches log launches).
[[nodiscard]] std::vector<KernelSequence> kernel_sequences(const MeasuredWork& work,
                                                           const std::vector<Launch>& launches);

/// The queue of a device's stream, and the reasons why the stream is idle.
///
/// The queue contains the work that was launched but has not begun, as HTA counts it (get_queue_length_summary): from
/// the begin of the launching call to the start of the work.
///
/// The idle time of the stream (TimeUse::idle) is divided by HTA's rule (get_idle_time_breakdown):
///
///     idle = host wait + kernel wait + other wait + outside
///
/// The sum is exact. The time between two pieces of work is
///
/// * a host wait if the second one's launching call began after the first one had ended;
/// * otherwise a kernel wait if it is shorter than kKernelWait, the time that the device needs between two kernels;
/// * otherwise an other wait: for another stream, an event or a collective.
///
/// `outside` is the time before the stream's first work and after its last, while other streams of its device had work.
struct StreamUse {
  static constexpr std::size_t kFullQueue = 1024;  ///< launches that CUDA queues before calls block (HTA's default)
  static constexpr Duration kKernelWait{30'000};   ///< HTA's default of consecutive_kernel_delay: 30 us
  static constexpr std::size_t kMostPoints = 256;

  struct QueuePoint {
    Time time;
    std::size_t length = 0;
  };

  Rank rank = 0;
  std::int32_t device = 0;
  std::string stream;
  std::size_t launches = 0;  ///< number of pieces of work with a recorded launch
  double mean_queue = 0;     ///< mean length over the time from the first launch to the last start
  QueuePoint longest;        ///< the first time of the longest queue
  Duration full{};           ///< time while the queue has at least kFullQueue entries
  Duration host_wait{};
  Duration kernel_wait{};
  Duration other_wait{};
  Duration outside{};
  /// The longest queue in each of at most kMostPoints equal intervals that have launches.
  std::vector<QueuePoint> curve;
};

/// Returns the use of streams with a recorded launch, in the order of `devices`. O(pieces), or O(pieces log pieces) if
/// the pieces of a stream are not in order of time.
[[nodiscard]] std::vector<StreamUse> stream_use(const MeasuredWork& work, const std::vector<Launch>& launches,
                                                const std::vector<DeviceUse>& devices);

}  // namespace stepsim::sim

#endif
