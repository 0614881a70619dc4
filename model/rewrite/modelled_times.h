#ifndef STEPSIM_MODEL_REWRITE_MODELLED_TIMES_H
#define STEPSIM_MODEL_REWRITE_MODELLED_TIMES_H

#include <cstddef>
#include <string_view>

#include "model/cost/device/accelerator.h"
#include "model/job/recording.h"

namespace stepsim {

/// The id of the assumption that durations were modelled, which says by what.
inline constexpr std::string_view kModelledTimes = "modelled_times";

/// What a capture that nobody measured does not say of its own durations.
struct UntimedWork {
  std::size_t device = 0;         ///< tasks of the device whose work is known and whose duration is not
  std::size_t communication = 0;  ///< collectives and messages whose size is known and whose duration is not
};

/// All 0 for captures with recorded times, and for task graphs. O(tasks + uses).
[[nodiscard]] UntimedWork untimed_work(const Capture& capture);

/// The capture with the duration that roofline gives on `device` for device work whose duration is not known, and the
/// assumption that says so. Collectives keep theirs: they are the network's. O(tasks log tasks + edges).
[[nodiscard]] Capture with_modelled_times(const Capture& capture, const Accelerator& device);

}  // namespace stepsim

#endif
