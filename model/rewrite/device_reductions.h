#ifndef STEPSIM_MODEL_REWRITE_DEVICE_REDUCTIONS_H
#define STEPSIM_MODEL_REWRITE_DEVICE_REDUCTIONS_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "model/job/recording.h"

namespace stepsim {

/// What host threads launched on devices, by thread, in order of the calls' recorded ends.
struct DeviceLaunch {
  Time end;  ///< of the call
  TaskId call;
  TaskId work;  ///< the kernel, copy, memset or collective
  Duration lag{};
};
using DeviceLaunches = std::map<LaneId, std::vector<DeviceLaunch>>;

/// Nothing of a task graph, which has no recorded times. O(edges log edges).
[[nodiscard]] DeviceLaunches device_launches(const Capture& capture);

/// An all-reduce on a stream and the gradients that it carries, as indices into StepReductions::gradients, ascending.
struct DeviceReduction {
  DeviceLaunch launch;  ///< of its kernel
  std::vector<std::size_t> gradients;
};

/// One rank's part of a step. Empty if the step does not show what its all-reduces carry.
struct StepReductions {
  LaneId thread;                            ///< of the backward pass
  std::vector<Gradient> gradients;          ///< those that are reduced, in the order in which they came
  std::vector<DeviceReduction> reductions;  ///< in the order of their launches
};

/// By index of Recording::steps. Which gradients an all-reduce carries: device_buckets.h. O(tasks log tasks + edges).
[[nodiscard]] std::map<std::int32_t, StepReductions> device_reductions(const Capture& capture,
                                                                       const DeviceLaunches& launches);

/// The places after `from` and up to `to` of what a thread had launched, in `launches` of one thread.
[[nodiscard]] std::span<const DeviceLaunch> launched_between(const std::vector<DeviceLaunch>& launches, Time from,
                                                             Time to);

}  // namespace stepsim

#endif
