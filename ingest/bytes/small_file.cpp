#include "ingest/bytes/small_file.h"

#include <algorithm>

namespace stepsim::ingest {

SmallFile read_small_file(const std::string& path, std::size_t largest) {
  constexpr std::size_t kPiece = std::size_t{64} << 10U;
  Input input = Input::open(path);
  std::string text;
  for (std::size_t got = 1; got > 0 && text.size() <= largest;) {
    const std::size_t size = text.size();
    text.resize(size + std::min(kPiece, largest + 1 - size));
    got = input.stream().read({text.data() + size, text.size() - size});
    text.resize(size + got);
  }
  InputFile identity = text.size() > largest ? InputFile{path, 0, 0} : input.identify();
  return {std::move(text), std::move(identity)};
}

}  // namespace stepsim::ingest
