#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "ingest/privacy/private_text.h"

/// The pieces that find_private() returns must be non-empty parts of the text, in order, and must not overlap.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::size_t end = 0;
  for (const stepsim::ingest::PrivatePiece& piece : stepsim::ingest::find_private(text)) {
    if (piece.begin < end || piece.end <= piece.begin || piece.end > size) __builtin_trap();
    end = piece.end;
  }
  return 0;
}
