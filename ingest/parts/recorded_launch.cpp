#include "ingest/parts/recorded_launch.h"

namespace stepsim::ingest {

std::optional<KernelLaunch> recorded_launch(std::int64_t blocks, std::int64_t threads, std::int64_t registers,
                                            std::int64_t shared_memory) noexcept {
  // Beyond these a record is damaged: no device has them.
  constexpr std::int64_t kMostThreads = 1'024;
  constexpr std::int64_t kMostRegisters = 1'024;
  constexpr std::int64_t kMostShared = std::int64_t{1} << 24;
  const auto within = [](std::int64_t value, std::int64_t least, std::int64_t most) {
    return value >= least && value <= most;
  };
  if (blocks < 1 || !within(threads, 1, kMostThreads) || !within(registers, 1, kMostRegisters) ||
      !within(shared_memory, 0, kMostShared))
    return std::nullopt;
  return KernelLaunch{static_cast<std::uint64_t>(blocks), static_cast<std::uint32_t>(threads),
                      static_cast<std::uint32_t>(registers), static_cast<std::uint32_t>(shared_memory)};
}

}  // namespace stepsim::ingest
