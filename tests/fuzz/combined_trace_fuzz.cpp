// Reads any bytes as a combined trace: they must be divided into files or refused.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ingest/bytes/byte_source.h"
#include "ingest/combined/combined_trace.h"
#include "model/base/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  try {
    stepsim::Diagnostics diagnostics;
    const auto source = stepsim::ingest::memory_source(text, "fuzz");
    static_cast<void>(stepsim::ingest::separate(*source, diagnostics));
  } catch (const stepsim::InputError&) {
    return 0;
  }
  return 0;
}
