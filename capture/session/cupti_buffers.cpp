#include "capture/session/cupti_buffers.h"

#include <algorithm>
#include <new>

namespace stepsim::capture {

CuptiBuffers::CuptiBuffers(std::size_t bytes)
    : count_(static_cast<std::uint32_t>(std::clamp<std::size_t>(bytes / kBufferBytes, 2, 1U << 20U))),
      memory_(new std::uint8_t[count_ * kBufferBytes]),
      free_(count_) {
  for (std::uint32_t i = count_; i-- > 0;) free_.push(i);
}

std::uint8_t* CuptiBuffers::take() noexcept {
  const auto index = free_.pop();
  return index ? memory_.get() + *index * kBufferBytes : nullptr;
}

std::uint8_t* CuptiBuffers::take_last_resort() noexcept { return new (std::nothrow) std::uint8_t[kLastResortBytes]; }

void CuptiBuffers::give_back(std::uint8_t* buffer) noexcept {
  const std::uint8_t* const end = memory_.get() + count_ * kBufferBytes;
  if (buffer >= memory_.get() && buffer < end) {
    free_.push(static_cast<std::uint32_t>(static_cast<std::size_t>(buffer - memory_.get()) / kBufferBytes));
  } else {
    delete[] buffer;
  }
}

}  // namespace stepsim::capture
