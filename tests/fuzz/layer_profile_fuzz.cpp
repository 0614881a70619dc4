#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ingest/config/config.h"
#include "model/base/error.h"

/// An accepted profile must have parts, and only finite times that are not negative.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto is_time = [](double nanoseconds) { return std::isfinite(nanoseconds) && nanoseconds >= 0; };
  try {
    const stepsim::ingest::LayerProfile profile = stepsim::ingest::parse_layer_profile(
        {reinterpret_cast<const char*>(data), size}, "profile", /*samples=*/1, /*tensor=*/1);
    if (profile.parts.empty() || profile.corrected > 2 * profile.parts.size()) __builtin_trap();
    for (const stepsim::PartTimes& part : profile.parts) {
      if (!is_time(part.forward) || !is_time(part.backward) || !is_time(part.update)) __builtin_trap();
    }
  } catch (const stepsim::InputError&) {
    return 0;
  }
  return 0;
}
