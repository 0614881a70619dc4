#ifndef STEPSIM_CAPTURE_TRACER_TRANSLATION_H
#define STEPSIM_CAPTURE_TRACER_TRANSLATION_H

#include <cstdint>

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

}  // namespace stepsim::capture

#endif
