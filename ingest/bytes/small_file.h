#ifndef STEPSIM_INGEST_BYTES_SMALL_FILE_H
#define STEPSIM_INGEST_BYTES_SMALL_FILE_H

#include <cstddef>
#include <string>

#include "ingest/bytes/input.h"

namespace stepsim::ingest {

struct SmallFile {
  std::string text;
  InputFile identity;  ///< of the whole file; without size and checksum if that is larger
};

/// A file's text, inflated if it is gzip: at most `largest` bytes and one more, by which it is seen
/// to be larger. Throws InputError.
[[nodiscard]] SmallFile read_small_file(const std::string& path, std::size_t largest);

/// The same of what `source` has left.
[[nodiscard]] std::string read_text(ByteSource& source, std::size_t largest);

}  // namespace stepsim::ingest

#endif
