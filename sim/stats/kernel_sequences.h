#ifndef STEPSIM_SIM_STATS_KERNEL_SEQUENCES_H
#define STEPSIM_SIM_STATS_KERNEL_SEQUENCES_H

#include <string>
#include <vector>

#include "sim/stats/launches.h"

namespace stepsim::sim {

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
