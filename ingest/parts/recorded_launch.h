#ifndef STEPSIM_INGEST_PARTS_RECORDED_LAUNCH_H
#define STEPSIM_INGEST_PARTS_RECORDED_LAUNCH_H

#include <cstdint>
#include <optional>

#include "model/job/kernel_launch.h"

namespace stepsim::ingest {

/// How a kernel was launched, from what CUPTI recorded: blocks of the grid, threads of a block, registers of a thread,
/// bytes of shared memory of a block. Nothing if one of them cannot be, as where it was not recorded.
[[nodiscard]] std::optional<KernelLaunch> recorded_launch(std::int64_t blocks, std::int64_t threads,
                                                          std::int64_t registers, std::int64_t shared_memory) noexcept;

}  // namespace stepsim::ingest

#endif
