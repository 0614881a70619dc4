#ifndef STEPSIM_INGEST_BYTES_FILE_SOURCE_H
#define STEPSIM_INGEST_BYTES_FILE_SOURCE_H

#include <memory>
#include <string>

#include "ingest/bytes/byte_source.h"

namespace stepsim::ingest {

/// The bytes of a file as they lie on disk, or of a FIFO as they come; waits until something writes
/// to that. Throws InputError if it cannot be opened or is neither.
[[nodiscard]] std::unique_ptr<ByteSource> open_file(const std::string& path);

/// The bytes on standard input. Throws InputError if it is closed or a terminal.
[[nodiscard]] std::unique_ptr<ByteSource> open_standard_input();

}  // namespace stepsim::ingest

#endif
