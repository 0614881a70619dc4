#ifndef STEPSIM_CAPTURE_SESSION_SCHEDULE_H
#define STEPSIM_CAPTURE_SESSION_SCHEDULE_H

#include <cstdint>

#include "model/wire/record.h"

namespace stepsim::capture {

/// Which steps to record, in the words of torch.profiler.schedule(): after `skip_first` steps, cycles of `wait` steps
/// that are not recorded, `warm_up` steps that are recorded to be left out, and `active` ones.
struct Schedule {
  std::uint64_t skip_first = 0;
  std::uint64_t wait = 0;
  std::uint64_t warm_up = 0;
  std::uint64_t active = 0;  ///< 0: all steps from then on, in one cycle
  std::uint64_t repeat = 1;  ///< cycles; 0: to the end

  /// What becomes of step `number`, counted from 0.
  [[nodiscard]] wire::Phase phase_of(std::uint64_t number) const noexcept;
};

}  // namespace stepsim::capture

#endif
