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

/// A lock-free stack of numbers below a capacity. A number is on the stack at most once. Any number of threads may use
/// it; no call allocates. Source: R. K. Treiber, Systems programming: coping with parallelism (1986). A counter of
/// changes, stored with the top, solves the ABA problem: a pop notices if the top was popped and pushed again while it
/// was reading.
class IndexStack {
 public:
  explicit IndexStack(std::uint32_t capacity) : below_(std::make_unique<std::atomic<std::uint32_t>[]>(capacity)) {}

  /// Precondition: `index` is below the capacity and not on the stack.
  void push(std::uint32_t index) noexcept;
  [[nodiscard]] std::optional<std::uint32_t> pop() noexcept;
  /// Moves all numbers to `out` in the order in which they were pushed, and returns how many there were. `out` must
  /// have room for as many numbers as the capacity.
  std::uint32_t take_all(std::uint32_t* out) noexcept;

 private:
  /// A linked list: if n is on the stack, below_[n] - 1 is the number directly below n. below_[n] is 0 if n is at the
  /// bottom.
  std::unique_ptr<std::atomic<std::uint32_t>[]> below_;
  /// Bits 0 to 31 contain the top number plus 1, or 0 if the stack is empty. The other bits count changes.
  std::atomic<std::uint64_t> top_{0};
};

/// The buffers that carry records from the recording threads to the writing thread. Each has the size of one block; all
/// are allocated at the start. A buffer is either free, owned by one recording thread, or full and waiting to be
/// written.
class Buffers {
 public:
  static constexpr std::size_t kBufferBytes = std::size_t{256} << 10U;
  static constexpr std::size_t kBlockBytes = kBufferBytes - wire::kHeaderBytes;

  /// Allocates as many buffers as fit into `bytes`, but at least four. Throws std::bad_alloc.
  explicit Buffers(std::size_t bytes);

  /// Takes a free buffer for the caller's exclusive use; nullopt if there is none.
  [[nodiscard]] std::optional<std::uint32_t> take() noexcept { return free_.pop(); }
  /// Passes a buffer with `bytes` of a producer's records to the writing thread and wakes it.
  void submit(std::uint32_t buffer, std::uint32_t bytes, std::uint16_t producer) noexcept;
  void give_back(std::uint32_t buffer) noexcept { free_.push(buffer); }

  /// Returns the address of the records in a buffer.
  [[nodiscard]] std::byte* records_of(std::uint32_t buffer) noexcept { return block_of(buffer) + wire::kHeaderBytes; }
  /// Writes the header of a full buffer, with `number` as the number of the block, and returns the whole block.
  [[nodiscard]] std::span<std::byte> finish(std::uint32_t buffer, std::uint64_t number) noexcept;
  /// Takes all full buffers, the oldest first. The result is valid until the next call.
  [[nodiscard]] std::span<const std::uint32_t> take_full() noexcept;

  /// Returns a counter that changes with every submit() and wake(). Pass it to wait().
  [[nodiscard]] std::uint32_t changes() const noexcept { return changes_.load(std::memory_order_acquire); }
  /// Waits until changes() differs from `seen`.
  void wait(std::uint32_t seen) const noexcept { changes_.wait(seen, std::memory_order_acquire); }
  void wake() noexcept;

 private:
  struct Filled {
    std::uint32_t bytes = 0;
    std::uint16_t producer = 0;
  };
  [[nodiscard]] std::byte* block_of(std::uint32_t buffer) noexcept { return memory_.get() + buffer * kBufferBytes; }

  std::uint32_t count_;
  std::unique_ptr<std::byte[]> memory_;  ///< its pages are not touched before use
  std::vector<Filled> filled_;           ///< indexed by buffer
  std::vector<std::uint32_t> taken_;
  IndexStack free_;
  IndexStack full_;
  std::atomic<std::uint32_t> changes_{0};
};

}  // namespace stepsim::capture

#endif
