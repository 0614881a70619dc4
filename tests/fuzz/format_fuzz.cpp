#include "tests/fuzz/fuzz_format.h"

// Fuzz target of the format that CMake names.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  stepsim::ingest::read_anything(STEPSIM_FORMAT, data, size);
  return 0;
}
