#ifndef STEPSIM_CAPTURE_SESSION_CUPTI_BUFFERS_H
#define STEPSIM_CAPTURE_SESSION_CUPTI_BUFFERS_H

#include <cstddef>
#include <cstdint>
#include <memory>

#include "capture/writer/buffers.h"

namespace stepsim::capture {

/// The buffers that CUPTI fills. They are allocated in advance, because an allocation during the capture would distort
/// the measurement.
class CuptiBuffers {
 public:
  static constexpr std::size_t kBufferBytes = std::size_t{2} << 20U;
  /// Size in bytes of the buffer that CUPTI gets if all buffers are in use and its version cannot handle a missing
  /// buffer. It is small, so it fills up quickly; then CUPTI drops records and counts them.
  static constexpr std::size_t kLastResortBytes = std::size_t{16} << 10U;

  /// Allocates as many buffers as fit into `bytes`, but at least two. Throws std::bad_alloc.
  explicit CuptiBuffers(std::size_t bytes);

  /// Returns a buffer; null if all are in use.
  [[nodiscard]] std::uint8_t* take() noexcept;
  /// Allocates an additional buffer of kLastResortBytes; null if there is no memory.
  [[nodiscard]] static std::uint8_t* take_last_resort() noexcept;
  /// Takes back a buffer that take() or take_last_resort() returned.
  void give_back(std::uint8_t* buffer) noexcept;

 private:
  std::uint32_t count_;
  std::unique_ptr<std::uint8_t[]> memory_;
  IndexStack free_;
};

}  // namespace stepsim::capture

#endif
