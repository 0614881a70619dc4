#ifndef STEPSIM_CAPTURE_TRACER_TRANSLATION_H
#define STEPSIM_CAPTURE_TRACER_TRANSLATION_H

#include <cstdint>
#include <string_view>

#include "capture/writer/producer.h"

/// What the translators of several libraries share.
namespace stepsim::capture {

/// Returns the duration of work from `start` to `end`; 0 if the times are in the wrong order.
[[nodiscard]] constexpr std::uint64_t length(std::uint64_t start, std::uint64_t end) noexcept {
  return end > start ? end - start : 0;
}

/// Returns the number of a kernel's demangled name among the texts of `producer`; 0 if `mangled` is null. Each name is
/// demangled once per producer.
[[nodiscard]] std::uint32_t kernel_name(const char* mangled, Producer& producer) noexcept;

/// What a library knows of a device. An empty text and 0 stand for what it does not.
struct DeviceProperties {
  std::uint16_t number = 0;
  std::string_view name;
  std::string_view place;          ///< which of its kind it is: NVIDIA's UUID, or an address on the PCI bus
  std::uint64_t memory = 0;        ///< bytes
  std::uint64_t bandwidth = 0;     ///< of the memory, in bytes per second
  std::uint32_t processors = 0;    ///< multiprocessors, or AMD's compute units
  std::uint32_t clock_khz = 0;     ///< largest rate of their clock
  std::uint32_t architecture = 0;  ///< 90000 for compute capability 9.0, 90402 for AMD's gfx942
};
void add_device(const DeviceProperties& device, Producer& producer) noexcept;

}  // namespace stepsim::capture

#endif
