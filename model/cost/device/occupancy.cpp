#include "model/cost/device/occupancy.h"

#include <algorithm>
#include <limits>

namespace stepsim {
namespace {

// NVIDIA's multiprocessors from Pascal on.
constexpr std::uint32_t kWarp = 32;
constexpr std::uint32_t kRegisterUnit = 256;  // a warp gets a multiple of it
constexpr std::uint32_t kPartitions = 4;      // each with its part of the registers, and warps of its own

std::uint32_t rounded_up(std::uint32_t value, std::uint32_t unit) noexcept { return (value + unit - 1) / unit * unit; }

std::uint32_t warps_by_registers(std::uint32_t registers, const Residency& room) noexcept {
  const std::uint32_t of_warp = rounded_up(registers * kWarp, kRegisterUnit);
  return of_warp == 0 ? std::numeric_limits<std::uint32_t>::max()
                      : room.registers / kPartitions / of_warp * kPartitions;
}

}  // namespace

std::uint32_t resident_blocks(const KernelLaunch& launch, const Residency& room) noexcept {
  const std::uint32_t warps = rounded_up(launch.threads, kWarp) / kWarp;
  std::uint32_t blocks = std::min(room.blocks, room.threads / kWarp / warps);
  blocks = std::min(blocks, warps_by_registers(launch.registers, room) / warps);
  const std::uint64_t shared = std::uint64_t{launch.shared_memory} + room.reserved_shared_memory;
  if (shared > 0) blocks = static_cast<std::uint32_t>(std::min<std::uint64_t>(blocks, room.shared_memory / shared));
  return std::max(1U, blocks);
}

double filled_share(const KernelLaunch& launch, const Accelerator& device) noexcept {
  if (device.resident.threads == 0 || launch.threads == 0) return 1;
  const double wave = static_cast<double>(resident_blocks(launch, device.resident)) * device.processors;
  return std::min(1.0, static_cast<double>(launch.blocks) / wave);
}

}  // namespace stepsim
