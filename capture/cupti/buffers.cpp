#include "capture/cupti/buffers.h"

#include <algorithm>
#include <cstring>
#include <new>

namespace stepsim::capture::cupti {

ActivityBuffers::ActivityBuffers(std::size_t bytes)
    : count_(static_cast<std::uint32_t>(std::clamp<std::size_t>(bytes / kBufferBytes, 2, 1U << 20U))),
      memory_(std::make_unique<std::uint8_t[]>(count_ * kBufferBytes)),
      free_(count_) {
  for (std::uint32_t i = count_; i-- > 0;) free_.push(i);
}

std::uint8_t* ActivityBuffers::take() noexcept {
  const auto index = free_.pop();
  if (!index) return nullptr;
  taken_.fetch_add(1, std::memory_order_relaxed);
  return memory_.get() + *index * kBufferBytes;
}

std::uint8_t* ActivityBuffers::take_last_resort() noexcept {
  auto* const buffer = new (std::nothrow) std::uint8_t[kLastResortBytes]();
  if (buffer != nullptr) taken_.fetch_add(1, std::memory_order_relaxed);
  return buffer;
}

void ActivityBuffers::give_back(std::uint8_t* buffer) noexcept {
  taken_.fetch_sub(1, std::memory_order_relaxed);
  const std::uint8_t* const end = memory_.get() + count_ * kBufferBytes;
  if (buffer < memory_.get() || buffer >= end) {
    delete[] buffer;
    return;
  }
  std::memset(buffer, 0, kBufferBytes);
  free_.push(static_cast<std::uint32_t>(static_cast<std::size_t>(buffer - memory_.get()) / kBufferBytes));
}

}  // namespace stepsim::capture::cupti
