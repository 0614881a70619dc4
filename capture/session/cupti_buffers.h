#ifndef STEPSIM_CAPTURE_SESSION_CUPTI_BUFFERS_H
#define STEPSIM_CAPTURE_SESSION_CUPTI_BUFFERS_H

#include <cstddef>
#include <cstdint>
#include <memory>

#include "capture/writer/buffers.h"

namespace stepsim::capture {

/// The buffers that CUPTI fills, allocated ahead: a request during the capture would distort what it measures.
class CuptiBuffers {
 public:
  static constexpr std::size_t kBufferBytes = std::size_t{2} << 20U;
  /// What CUPTI gets where there is none left and it may not be left without: soon full, so that it drops and counts.
  static constexpr std::size_t kLastResortBytes = std::size_t{16} << 10U;

  /// At least two. Throws std::bad_alloc.
  explicit CuptiBuffers(std::size_t bytes);

  /// Null if all are taken.
  [[nodiscard]] std::uint8_t* take() noexcept;
  /// Memory beyond that of the constructor. Null if there is none.
  [[nodiscard]] static std::uint8_t* take_last_resort() noexcept;
  /// Takes back what either of them gave.
  void give_back(std::uint8_t* buffer) noexcept;

 private:
  std::uint32_t count_;
  std::unique_ptr<std::uint8_t[]> memory_;
  IndexStack free_;
};

}  // namespace stepsim::capture

#endif
