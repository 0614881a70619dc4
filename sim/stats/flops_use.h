#ifndef STEPSIM_SIM_STATS_FLOPS_USE_H
#define STEPSIM_SIM_STATS_FLOPS_USE_H

#include <cstddef>
#include <string>
#include <vector>

#include "sim/stats/measured_work.h"

namespace stepsim::sim {

/// How much an operator computes, and how fast. A multiplication and an addition count as two operations.
struct FlopsUse {
  std::string name;  ///< name of the operator
  /// True if `time` is that of the device work it launched, false if that of its calls on the host.
  bool on_device = false;
  std::size_t calls = 0;
  double flops = 0;  ///< total operations of all calls
  Duration time{};
  [[nodiscard]] double per_second() const noexcept;  ///< operations per second; 0 if the operator took no time
};

/// Returns the operators whose operations are known, from the profiler (with_flops) or else from the recorded shapes of
/// matrix products, convolutions and attention. They are sorted by flops, the most first. Their time is that of the
/// operators' device work for ranks where this work is known. For other ranks it is the time of the calls on the host;
/// of nested calls, only the outermost count. O(pieces + uses).
[[nodiscard]] std::vector<FlopsUse> flops_use(const MeasuredWork& work);

}  // namespace stepsim::sim

#endif
