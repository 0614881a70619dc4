#ifndef STEPSIM_MODEL_COST_DEVICE_PEAK_MEMORY_H
#define STEPSIM_MODEL_COST_DEVICE_PEAK_MEMORY_H

#include <cstdint>
#include <set>
#include <vector>

#include "model/base/units.h"
#include "model/cost/device/device_work.h"
#include "model/job/allocations.h"

namespace stepsim {

/// The recorded allocations of one memory, added up again for steps with another number of samples.
///
/// A block grows with the samples if it was allocated in an operator that multiplies matrices or has an input that
/// holds samples (ParameterSizes), or outside of operators with recorded shapes. It keeps its size
///
/// - in an optimizer's step, where it holds a state or an update of a parameter;
/// - in the backward pass and outside of operators, if it has the size of a parameter, because it then holds a gradient
///   or the parameter itself;
/// - if it was allocated before the recording began.
///
/// docs/internals/models.md, "Memory", says how well this predicts measured peaks.
class RecordedMemory {
 public:
  /// `table` and `memory`, which is one of its memories, must outlive this object. `parameters` are those of the
  /// table's operators. O(operators).
  RecordedMemory(const AllocationTable& table, const AllocationTable::Memory& memory, const ParameterSizes& parameters);

  /// True if each event names its block, so that releases can be attributed to allocations.
  [[nodiscard]] bool names_blocks() const noexcept;
  /// Returns the largest number of bytes that are allocated at a time if the samples per step are multiplied by
  /// `factor`. The recorded peak for a factor of 1. At most 2^62. Preconditions: factor > 0; names_blocks() or factor
  /// is
  /// 1. O(events).
  [[nodiscard]] Bytes peak(double factor) const;

 private:
  [[nodiscard]] bool grows(const AllocationTable::Event& allocation) const;

  const AllocationTable::Memory& memory_;
  std::vector<bool> uses_samples_;              ///< by operator
  std::set<std::int64_t> blocks_of_parameter_;  ///< sizes in bytes of blocks that can hold a parameter
};

}  // namespace stepsim

#endif
