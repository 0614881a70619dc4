#ifndef STEPSIM_CAPTURE_WRITER_BUFFERS_H
#define STEPSIM_CAPTURE_WRITER_BUFFERS_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "model/wire/block.h"

namespace stepsim::capture {

/// A stack of the numbers below a capacity, each at most once, for any number of threads. No call waits for another
/// thread, and none allocates. Source: R. K. Treiber, Systems programming: coping with parallelism (1986); a count of
/// changes beside the top keeps a pop from mistaking a number that was popped and pushed again for the one it saw.
class IndexStack {
 public:
  explicit IndexStack(std::uint32_t capacity) : below_(std::make_unique<std::atomic<std::uint32_t>[]>(capacity)) {}

  /// Precondition: `index` is below the capacity and not on the stack.
  void push(std::uint32_t index) noexcept;
  [[nodiscard]] std::optional<std::uint32_t> pop() noexcept;
  /// Empties the stack into `out`, the first pushed first, and returns how many there were. `out` has room for the
  /// capacity.
  std::uint32_t take_all(std::uint32_t* out) noexcept;

 private:
  std::unique_ptr<std::atomic<std::uint32_t>[]> below_;  ///< what lies under each number, plus 1; 0: nothing
  std::atomic<std::uint64_t> top_{0};                    ///< a number plus 1, and from bit 32 on the changes
};

/// The memory between the threads that record and the one that writes: buffers of one block each, allocated once. A
/// buffer is free, in the hands of one thread, or full and waiting to be written.
class Buffers {
 public:
  static constexpr std::size_t kBufferBytes = std::size_t{256} << 10U;
  static constexpr std::size_t kBlockBytes = kBufferBytes - wire::kHeaderBytes;

  /// At least four buffers. Throws std::bad_alloc.
  explicit Buffers(std::size_t bytes);

  /// A free buffer for the caller alone; nothing if there is none.
  [[nodiscard]] std::optional<std::uint32_t> take() noexcept { return free_.pop(); }
  /// Hands over `bytes` of records of a producer to the thread that waits. Wakes it.
  void submit(std::uint32_t buffer, std::uint32_t bytes, std::uint16_t producer) noexcept;
  void give_back(std::uint32_t buffer) noexcept { free_.push(buffer); }

  /// Where records go.
  [[nodiscard]] std::byte* records_of(std::uint32_t buffer) noexcept { return block_of(buffer) + wire::kHeaderBytes; }
  /// A full buffer, with its header made.
  [[nodiscard]] std::span<std::byte> finish(std::uint32_t buffer, std::uint64_t number) noexcept;
  /// Takes all that wait, first come first.
  [[nodiscard]] std::span<const std::uint32_t> take_full() noexcept;

  /// A number that changes with every submit() and wake(), for wait().
  [[nodiscard]] std::uint32_t changes() const noexcept { return changes_.load(std::memory_order_acquire); }
  /// Returns once changes() is not `seen` any more.
  void wait(std::uint32_t seen) const noexcept { changes_.wait(seen, std::memory_order_acquire); }
  void wake() noexcept;

 private:
  struct Filled {
    std::uint32_t bytes = 0;
    std::uint16_t producer = 0;
  };
  [[nodiscard]] std::byte* block_of(std::uint32_t buffer) noexcept { return memory_.get() + buffer * kBufferBytes; }

  std::uint32_t count_;
  std::unique_ptr<std::byte[]> memory_;  ///< not touched before it is used
  std::vector<Filled> filled_;           ///< by buffer
  std::vector<std::uint32_t> taken_;
  IndexStack free_;
  IndexStack full_;
  std::atomic<std::uint32_t> changes_{0};
};

}  // namespace stepsim::capture

#endif
