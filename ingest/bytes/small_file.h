#ifndef STEPSIM_INGEST_BYTES_SMALL_FILE_H
#define STEPSIM_INGEST_BYTES_SMALL_FILE_H

#include <cstddef>
#include <string>

namespace stepsim::ingest {

/// The text of a file, at most `largest` bytes and one more, by which it is seen to be larger.
/// Throws InputError.
[[nodiscard]] std::string read_small_file(const std::string& path, std::size_t largest);

}  // namespace stepsim::ingest

#endif
