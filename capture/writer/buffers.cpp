#include "capture/writer/buffers.h"

#include <algorithm>
#include <cstring>

namespace stepsim::capture {

namespace {

constexpr std::uint64_t kChange = std::uint64_t{1} << 32U;

constexpr std::uint32_t number_in(std::uint64_t top) noexcept { return static_cast<std::uint32_t>(top); }
constexpr std::uint64_t changed(std::uint64_t top, std::uint32_t number) noexcept {
  return (top & ~(kChange - 1)) + kChange + number;
}

}  // namespace

void IndexStack::push(std::uint32_t index) noexcept {
  std::uint64_t top = top_.load(std::memory_order_relaxed);
  do {
    below_[index].store(number_in(top), std::memory_order_relaxed);
  } while (
      !top_.compare_exchange_weak(top, changed(top, index + 1), std::memory_order_release, std::memory_order_relaxed));
}

std::optional<std::uint32_t> IndexStack::pop() noexcept {
  std::uint64_t top = top_.load(std::memory_order_acquire);
  while (number_in(top) != 0) {
    const std::uint32_t index = number_in(top) - 1;
    const std::uint32_t below = below_[index].load(std::memory_order_relaxed);
    if (top_.compare_exchange_weak(top, changed(top, below), std::memory_order_acquire, std::memory_order_acquire))
      return index;
  }
  return std::nullopt;
}

std::uint32_t IndexStack::take_all(std::uint32_t* out) noexcept {
  std::uint64_t top = top_.load(std::memory_order_acquire);
  while (!top_.compare_exchange_weak(top, changed(top, 0), std::memory_order_acquire, std::memory_order_acquire)) {
  }
  std::uint32_t count = 0;
  for (std::uint32_t number = number_in(top); number != 0;) {
    out[count++] = number - 1;
    number = below_[number - 1].load(std::memory_order_relaxed);
  }
  std::reverse(out, out + count);
  return count;
}

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
