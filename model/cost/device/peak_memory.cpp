#include "model/cost/device/peak_memory.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace stepsim {
namespace {

/// PyTorch's allocator of device memory rounds blocks up to a multiple of this (kMinBlockSize in
/// c10/cuda/CUDACachingAllocator.cpp).
constexpr std::int64_t kDeviceGrain = 512;

constexpr double kMostBytes = 0x1p62;

std::int64_t grain_of(const AllocationTable::Memory& memory) noexcept { return memory.device < 0 ? 1 : kDeviceGrain; }

double rounded_up(double bytes, std::int64_t grain) {
  return std::ceil(bytes / static_cast<double>(grain)) * static_cast<double>(grain);
}

}  // namespace

RecordedMemory::RecordedMemory(const AllocationTable& table, const AllocationTable::Memory& memory,
                               const ParameterSizes& parameters)
    : memory_(memory) {
  uses_samples_.reserve(table.operators.size());
  for (const OperatorTable::Operator& op : table.operators) {
    bool uses_samples = op.work.flops > 0;
    for (std::size_t i = 0; i < op.inputs.size(); ++i) uses_samples = uses_samples || parameters.holds_samples(op, i);
    uses_samples_.push_back(uses_samples);
  }
  // Training in mixed precision keeps parameters and gradients in 16 and in 32 bits.
  for (const std::int64_t elements : parameters.elements()) {
    for (const std::int64_t size : {2, 4}) {
      blocks_of_parameter_.insert(
          static_cast<std::int64_t>(rounded_up(static_cast<double>(elements * size), grain_of(memory))));
    }
  }
}

bool RecordedMemory::names_blocks() const noexcept {
  return std::all_of(memory_.events.begin(), memory_.events.end(), [](const auto& event) { return event.block != 0; });
}

bool RecordedMemory::grows(const AllocationTable::Event& allocation) const {
  if (allocation.in_optimizer) return false;
  const bool fits_parameter = blocks_of_parameter_.contains(allocation.change.count());
  if (allocation.which == AllocationTable::kNone) return !fits_parameter;
  return uses_samples_[allocation.which] && !(fits_parameter && allocation.in_backward);
}

Bytes RecordedMemory::peak(double factor) const {
  const std::int64_t grain = grain_of(memory_);
  std::unordered_map<std::uint64_t, double> grown;  // by block that exists: how much larger it is than recorded
  double more = 0;                                  // sum of `grown`
  double peak = 0;
  for (const AllocationTable::Event& event : memory_.events) {
    // An address that is allocated again was released while nothing was recorded.
    if (const auto before = grown.find(event.block); before != grown.end()) {
      more -= before->second;
      grown.erase(before);
    }
    if (event.change > Bytes{} && factor != 1 && grows(event)) {
      const auto size = static_cast<double>(event.change.count());
      const double change = rounded_up(size * factor, grain) - size;
      grown.emplace(event.block, change);
      more += change;
    }
    peak = std::max(peak, static_cast<double>(event.allocated.count()) + more);
  }
  return Bytes{static_cast<std::int64_t>(std::clamp(peak, 0.0, kMostBytes))};
}

}  // namespace stepsim
