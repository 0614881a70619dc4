// Fuzzes the reading of gzip files. The first byte of the input determines the size of the pieces in which the other
// bytes are read. The result must not depend on this size.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "ingest/bytes/input.h"
#include "model/base/error.h"

namespace stepsim {

namespace {

constexpr std::size_t kMost = std::size_t{1} << 18;  // the limit for decompressed data

std::string read_in_pieces(std::string_view bytes, std::size_t piece) {
  std::string content;
  std::string buffer(piece, '\0');
  try {
    ingest::Input input = ingest::Input::from_memory(bytes, "fuzz");
    for (std::size_t got = 1; got > 0 && content.size() < kMost;) {
      got = input.stream().read(std::span{buffer});
      content.append(buffer, 0, got);
    }
    content += input.stream().truncated() ? '!' : '.';
    STEPSIM_ASSERT(input.identify().size == bytes.size(), "an input is identified by all of its bytes");
  } catch (const InputError&) {
    content = "refused";
  }
  return content;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes{reinterpret_cast<const char*>(data) + 1, size - 1};
  const std::size_t piece = std::size_t{data[0]} + 1;
  const std::string small = read_in_pieces(bytes, piece);
  const std::string large = read_in_pieces(bytes, kMost);
  if (std::max(small.size(), large.size()) < kMost) {
    STEPSIM_ASSERT(small == large, "the size of the pieces changes nothing");
  }
  return 0;
}

}  // namespace stepsim
