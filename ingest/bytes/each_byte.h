#ifndef STEPSIM_INGEST_BYTES_EACH_BYTE_H
#define STEPSIM_INGEST_BYTES_EACH_BYTE_H

#include <cstddef>
#include <string>

#include "ingest/bytes/byte_source.h"

namespace stepsim::ingest {

/// Calls `take(byte)` for each byte of `source`, and `rest()` now and then and at the end: what was gathered meanwhile
/// can be handed on there.
template <class Take, class Rest>
void for_each_byte(ByteSource& source, Take&& take, Rest&& rest) {
  constexpr std::size_t kPiece = std::size_t{256} << 10U;
  std::string piece(kPiece, '\0');
  for (std::size_t size = source.read(piece); size > 0; size = source.read(piece)) {
    for (std::size_t i = 0; i < size; ++i) take(piece[i]);
    rest();
  }
}

}  // namespace stepsim::ingest

#endif
