#include "capture/writer/buffers.h"

#include <algorithm>
#include <cstring>

namespace stepsim::capture {

Buffers::Buffers(std::size_t bytes)
    : count_(static_cast<std::uint32_t>(std::clamp<std::size_t>(bytes / kBufferBytes, 4, 1U << 20U))),
      memory_(new std::byte[count_ * kBufferBytes]),
      filled_(count_),
      taken_(count_),
      free_(count_),
      full_(count_) {
  for (std::uint32_t i = count_; i-- > 0;) free_.push(i);
}

void Buffers::submit(std::uint32_t buffer, std::uint32_t bytes, std::uint16_t producer) noexcept {
  filled_[buffer] = {bytes, producer};
  full_.push(buffer);
  wake();
}

std::span<std::byte> Buffers::finish(std::uint32_t buffer, std::uint64_t number) noexcept {
  const Filled& filled = filled_[buffer];
  wire::BlockHeader header{.producer = filled.producer, .bytes = filled.bytes, .number = number};
  const std::span<std::byte> block(block_of(buffer), wire::kHeaderBytes + filled.bytes);
  header.checksum = wire::block_checksum(header, block.subspan(wire::kHeaderBytes));
  std::memcpy(block.data(), &header, sizeof header);
  return block;
}

std::span<const std::uint32_t> Buffers::take_full() noexcept { return {taken_.data(), full_.take_all(taken_.data())}; }

void Buffers::wake() noexcept {
  changes_.fetch_add(1, std::memory_order_release);
  changes_.notify_all();
}

}  // namespace stepsim::capture
