#ifndef STEPSIM_SIM_STATS_LAUNCHES_H
#define STEPSIM_SIM_STATS_LAUNCHES_H

#include <cstdint>
#include <string>
#include <vector>

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

}  // namespace stepsim::sim

#endif
