#include "tests/fuzz/fuzz_format.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  stepsim::ingest::read_anything("inline_profile", data, size);
  return 0;
}
