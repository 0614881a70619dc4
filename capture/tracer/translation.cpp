#include "capture/tracer/translation.h"

#include <cxxabi.h>

#include <cstdlib>
#include <string_view>

namespace stepsim::capture {

std::uint32_t kernel_name(const char* mangled, Producer& producer) noexcept {
  if (mangled == nullptr) return 0;
  const std::string_view key(mangled);
  if (const std::uint32_t known = producer.known_text(key); known != 0) return known;
  int status = 0;
  char* const name = abi::__cxa_demangle(mangled, nullptr, nullptr, &status);
  const std::uint32_t number = producer.text(key, name == nullptr ? key : std::string_view(name));
  std::free(name);
  return number;
}

void add_device(const DeviceProperties& device, Producer& producer) noexcept {
  const auto text = [&](std::string_view shown) { return shown.empty() ? 0 : producer.text(shown); };
  const std::uint64_t place = text(device.place);
  producer.add({.kind = wire::Kind::kDevice,
                .device = device.number,
                .which = text(device.name),
                .start = device.memory,
                .duration = device.bandwidth,
                .correlation = device.clock_khz,
                .stream = device.processors,
                .a = place | std::uint64_t{device.architecture} << 32U});
}

}  // namespace stepsim::capture
