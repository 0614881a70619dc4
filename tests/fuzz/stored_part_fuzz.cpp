#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "ingest/bytes/byte_source.h"
#include "ingest/bytes/columns.h"
#include "ingest/stored/stored_part.h"
#include "model/base/error.h"

namespace {

namespace ingest = stepsim::ingest;

ingest::StoredPart read(const std::string& bytes) {
  const std::unique_ptr<ingest::ByteSource> source = ingest::memory_source(bytes, "fuzz.stepsim");
  return ingest::read_stored_part(*source, true);
}

}  // namespace

/// Reads the input as a part without its first line and its checksum, which are added. A part that can be read is
/// written and read again: both writings are equal.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string bytes = "stepsim part 4\n" + std::string(reinterpret_cast<const char*>(data), size);
  std::uint64_t sum = ingest::checksum(0, bytes);
  for (int i = 0; i < 8; ++i, sum >>= 8U) bytes += static_cast<char>(sum & 0xFFU);
  try {
    const std::string written = ingest::to_bytes(read(bytes));
    if (ingest::to_bytes(read(written)) != written) __builtin_trap();
  } catch (const stepsim::InputError&) {
    return 0;
  }
  return 0;
}
