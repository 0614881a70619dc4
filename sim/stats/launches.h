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
  std::uint32_t by = 0;     ///< the call: index into TraceDetails::calls
};

/// By piece. Work whose launch was not recorded has none. O(pieces).
[[nodiscard]] std::vector<Launch> launches(const MeasuredWork& work);

/// How device work of one name was launched: what HTA's get_cuda_kernel_launch_stats lists of each launch, and nsys
/// (cuda_kern_exec_sum) calls API, queue and kernel time.
struct LaunchUse {
  std::string name;
  Distribution call;           ///< how long the launching calls took
  Distribution delay;          ///< from a call's end to the start of its work; 0 where the work began before
  Distribution work;           ///< how long the work took
  std::size_t short_ones = 0;  ///< pieces that took less than their call: launching them is what takes time
};

/// By name, the most device time first. O(launches + names log names).
[[nodiscard]] std::vector<LaunchUse> launch_use(const MeasuredWork& work, const std::vector<Launch>& launches);

/// Device work that calls of one operator launch in the same order, again and again: what could be fused, or launched
/// as one graph. HTA's get_frequent_cuda_kernel_sequences, for all operators at once.
struct KernelSequence {
  static constexpr std::size_t kFewest = 3;  ///< pieces of work, as HTA has it

  std::string name;                  ///< of the operator, the outermost around the launches
  std::vector<std::string> kernels;  ///< by start
  std::size_t calls = 0;
  Duration device{};  ///< of the work of all calls
  Duration host{};    ///< of the calls
};

/// The most frequent first, then those with the most device time; sequences of kFewest pieces or more. Empty where no
/// operators or launches were recorded. O(calls + launches log launches).
[[nodiscard]] std::vector<KernelSequence> kernel_sequences(const MeasuredWork& work,
                                                           const std::vector<Launch>& launches);

}  // namespace stepsim::sim

#endif
