#ifndef STEPSIM_CAPTURE_CUPTI_BUFFERS_H
#define STEPSIM_CAPTURE_CUPTI_BUFFERS_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "capture/writer/buffers.h"

namespace stepsim::capture::cupti {

/// The buffers that CUPTI fills. They are allocated and set to zero in advance, because CUPTI asks for one inside the
/// program's calls. CUPTI 13 keeps one for each thread of the program, so they are small.
class ActivityBuffers {
 public:
  static constexpr std::size_t kBufferBytes = std::size_t{256} << 10U;
  /// Size in bytes of the buffer that CUPTI gets if all buffers are in use and its version cannot handle a missing
  /// buffer. It is small, so it fills up quickly; then CUPTI drops records and counts them.
  static constexpr std::size_t kLastResortBytes = std::size_t{16} << 10U;

  /// Allocates as many buffers as fit into `bytes`, but at least two, and writes zeros to them, so that the program
  /// pays for no page fault later. Throws std::bad_alloc.
  explicit ActivityBuffers(std::size_t bytes);

  /// Returns a buffer of zeros; null if all are in use.
  [[nodiscard]] std::uint8_t* take() noexcept;
  /// Allocates an additional buffer of kLastResortBytes and sets it to zero. Returns null if there is no memory.
  [[nodiscard]] std::uint8_t* take_last_resort() noexcept;
  /// Takes back a buffer that take() or take_last_resort() returned, and sets it to zero.
  void give_back(std::uint8_t* buffer) noexcept;
  /// Returns how many buffers CUPTI has.
  [[nodiscard]] std::uint32_t taken() const noexcept { return taken_.load(std::memory_order_relaxed); }

 private:
  std::uint32_t count_;
  std::unique_ptr<std::uint8_t[]> memory_;
  IndexStack free_;
  std::atomic<std::uint32_t> taken_{0};
};

}  // namespace stepsim::capture::cupti

#endif
