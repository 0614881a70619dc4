#include "ingest/bytes/small_file.h"

#include <algorithm>
#include <utility>

namespace stepsim::ingest {

SmallFile read_small_file(const std::string& path, std::size_t largest) {
  Input input = Input::open(path);
  std::string text = read_text(input.stream(), largest);
  InputFile identity = text.size() > largest ? InputFile{path, 0, 0} : input.identify();
  return {std::move(text), std::move(identity)};
}

std::string read_text(ByteSource& source, std::size_t largest) {
  constexpr std::size_t kPiece = std::size_t{64} << 10U;
  std::string text;
  for (std::size_t got = 1; got > 0 && text.size() <= largest;) {
    const std::size_t size = text.size();
    text.resize(size + std::min(kPiece, largest + 1 - size));
    got = source.read({text.data() + size, text.size() - size});
    text.resize(size + got);
  }
  return text;
}

}  // namespace stepsim::ingest
