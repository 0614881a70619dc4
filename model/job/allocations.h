#ifndef STEPSIM_MODEL_JOB_ALLOCATIONS_H
#define STEPSIM_MODEL_JOB_ALLOCATIONS_H

#include <cstdint>
#include <vector>

#include "model/base/id.h"
#include "model/base/units.h"
#include "model/job/operator_work.h"

namespace stepsim {

/// The allocations of a framework's allocator, if the trace has them (torch.profiler with profile_memory=True). Times
/// are on the reference host's clock. The table covers the whole trace, whatever steps are replayed.
struct AllocationTable {
  static constexpr std::uint32_t kNone = 0xFFFFFFFFU;

  /// An allocation or a release.
  struct Event {
    Time time;
    std::uint64_t block = 0;      ///< address of the block; 0 if not recorded
    Bytes change{};               ///< size of the block; negative for a release
    Bytes allocated{};            ///< memory allocated afterwards, as recorded
    Bytes reserved{};             ///< memory that the allocator holds afterwards; 0 if not reported
    std::uint32_t which = kNone;  ///< index into `operators` of the innermost operator with recorded shapes
    bool in_optimizer = false;    ///< true if made in an optimizer's step
    bool in_backward = false;     ///< true if made in the backward pass
  };
  /// The events of one memory.
  struct Memory {
    Rank rank = 0;
    std::int32_t device = -1;   ///< index of the device; -1 for the host's memory
    std::vector<Event> events;  ///< ordered by time, not empty
  };

  std::vector<Memory> memories;                    ///< ordered by rank, then device
  std::vector<OperatorTable::Operator> operators;  ///< each operator with its shapes once per rank
};

}  // namespace stepsim

#endif
