#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ingest/config/config.h"
#include "model/base/error.h"

/// An accepted table must contain at least one time.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    stepsim::Diagnostics diagnostics;
    const auto times = stepsim::ingest::parse_nccl_tests({reinterpret_cast<const char*>(data), size},
                                                         "all_reduce_perf.txt", diagnostics);
    if (times.empty()) __builtin_trap();
  } catch (const stepsim::InputError&) {
    return 0;
  }
  return 0;
}
