#include <cstring>
#include <span>
#include <string>

#include "model/wire/block.h"
#include "tests/fuzz/fuzz_format.h"

namespace {

/// Corrects the checksum of each block whose header has a valid length. Otherwise no record would ever be read.
std::string with_checksums(std::string bytes) {
  using stepsim::wire::BlockHeader;
  using stepsim::wire::kHeaderBytes;
  for (std::size_t at = 0; at + kHeaderBytes <= bytes.size();) {
    BlockHeader header;
    std::memcpy(&header, bytes.data() + at, sizeof header);
    if (header.magic != BlockHeader::kMagic || header.bytes > bytes.size() - at - kHeaderBytes) return bytes;
    const auto records = std::as_bytes(std::span(bytes).subspan(at + kHeaderBytes, header.bytes));
    header.checksum = stepsim::wire::block_checksum(header, records);
    std::memcpy(bytes.data() + at, &header, sizeof header);
    at += kHeaderBytes + header.bytes;
  }
  return bytes;
}

}  // namespace

/// Reads the input unchanged, and with correct checksums.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  stepsim::ingest::read_anything("capture", data, size);
  const std::string mended = with_checksums({reinterpret_cast<const char*>(data), size});
  stepsim::ingest::read_anything("capture", reinterpret_cast<const std::uint8_t*>(mended.data()), mended.size());
  return 0;
}
