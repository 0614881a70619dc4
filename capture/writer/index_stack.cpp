#include "capture/writer/index_stack.h"

#include <algorithm>

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

}  // namespace stepsim::capture
