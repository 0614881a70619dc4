#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ingest/config/config.h"
#include "model/base/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    static_cast<void>(stepsim::ingest::parse_cluster({reinterpret_cast<const char*>(data), size}, "fuzz"));
  } catch (const stepsim::InputError&) {
    return 0;
  }
  return 0;
}
