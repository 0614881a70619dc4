#ifndef STEPSIM_MODEL_REWRITE_MODELLED_TIMES_H
#define STEPSIM_MODEL_REWRITE_MODELLED_TIMES_H

#include <cstddef>
#include <string_view>

#include "model/cost/device/accelerator.h"
#include "model/job/recording.h"

namespace stepsim {

/// The durations missing in a capture without measurements.
struct UntimedWork {
  std::size_t device = 0;         ///< number of device tasks with known work but unknown duration
  std::size_t communication = 0;  ///< number of collectives and messages with known size but unknown duration
};

/// Counts the durations that a capture lacks. The counts are 0 for captures with recorded times, and for task graphs.
/// O(tasks + uses).
[[nodiscard]] UntimedWork untimed_work(const Capture& capture);

/// Returns the capture with roofline's estimate for `device` as the duration of all device work without one, and adds
/// the assumption kModelledTimes. Collectives are not changed: the network model times them. O(tasks log tasks +
/// edges).
[[nodiscard]] Capture with_modelled_times(const Capture& capture, const Accelerator& device);

}  // namespace stepsim

#endif
