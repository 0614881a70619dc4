#ifndef STEPSIM_CAPTURE_WRITER_INDEX_STACK_H
#define STEPSIM_CAPTURE_WRITER_INDEX_STACK_H

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

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

}  // namespace stepsim::capture

#endif
