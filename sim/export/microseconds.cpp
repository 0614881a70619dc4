#include "sim/export/microseconds.h"

#include <fmt/format.h>

#include <cstdint>
#include <string_view>

namespace stepsim::sim {

std::string microseconds(Duration duration) {
  const std::int64_t nanoseconds = duration.count();
  const std::string_view sign = nanoseconds < 0 ? "-" : "";
  const std::uint64_t size =
      nanoseconds < 0 ? 0 - static_cast<std::uint64_t>(nanoseconds) : static_cast<std::uint64_t>(nanoseconds);
  return fmt::format("{}{}.{:03}", sign, size / 1000, size % 1000);
}

}  // namespace stepsim::sim
