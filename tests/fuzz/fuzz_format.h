#ifndef STEPSIM_TESTS_FUZZ_FUZZ_FORMAT_H
#define STEPSIM_TESTS_FUZZ_FUZZ_FORMAT_H

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace stepsim::ingest {

/// Reads `data` with the format of this name. The format may read the data or throw InputError. Any other exception
/// ends the process, so the fuzzer reports it.
void read_anything(std::string_view format, const std::uint8_t* data, std::size_t size);

}  // namespace stepsim::ingest

#endif
