#ifndef STEPSIM_SIM_STATS_FLOPS_USE_H
#define STEPSIM_SIM_STATS_FLOPS_USE_H

#include <cstddef>
#include <string>
#include <vector>

#include "sim/stats/measured_work.h"

namespace stepsim::sim {

/// What an operator computes, and how fast. A multiplication and an addition are two operations.
struct FlopsUse {
  std::string name;        ///< of the operator
  bool on_device = false;  ///< `time` is that of the device work it launched; else of its calls on the host
  std::size_t calls = 0;
  double flops = 0;  ///< of all calls
  Duration time{};
  [[nodiscard]] double per_second() const noexcept;  ///< 0 if it took no time
};

/// Operators that are known to compute: by what the profiler says (with_flops), else by their shapes, where those of
/// matrix products, convolutions and attention were recorded. The most flops first. Of ranks whose operators' device
/// work is known, that counts; of others the calls on the host, the outermost of those that compute.
/// O(pieces + uses).
[[nodiscard]] std::vector<FlopsUse> flops_use(const MeasuredWork& work);

}  // namespace stepsim::sim

#endif
