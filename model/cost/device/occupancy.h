#ifndef STEPSIM_MODEL_COST_DEVICE_OCCUPANCY_H
#define STEPSIM_MODEL_COST_DEVICE_OCCUPANCY_H

#include <cstdint>

#include "model/cost/device/accelerator.h"
#include "model/job/kernel_launch.h"

namespace stepsim {

/// How many blocks of `launch` one multiprocessor holds at a time: as many as its threads, blocks, registers and shared
/// memory allow (NVIDIA's occupancy calculator; what Kineto calls "est. achieved occupancy %" follows from it). At
/// least 1, because the kernel ran. Precondition: launch.threads > 0 and room.threads > 0.
[[nodiscard]] std::uint32_t resident_blocks(const KernelLaunch& launch, const Residency& room) noexcept;

/// The share of `device` that `launch` fills, up to 1: its blocks over those that the device holds at a time, a wave of
/// them (Yu et al., Habitat, ATC 2021). 1 where the device's limits are not known.
[[nodiscard]] double filled_share(const KernelLaunch& launch, const Accelerator& device) noexcept;

}  // namespace stepsim

#endif
