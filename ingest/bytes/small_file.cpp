#include "ingest/bytes/small_file.h"

#include <vector>

#include "ingest/bytes/byte_source.h"

namespace stepsim::ingest {

std::string read_small_file(const std::string& path, std::size_t largest) {
  const auto source = ByteSource::open(path);
  std::string text;
  std::vector<char> piece(1U << 16U);
  while (text.size() <= largest) {
    const std::size_t got = source->read(piece);
    if (got == 0) break;
    text.append(piece.data(), got);
  }
  return text;
}

}  // namespace stepsim::ingest
