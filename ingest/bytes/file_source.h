#ifndef STEPSIM_INGEST_BYTES_FILE_SOURCE_H
#define STEPSIM_INGEST_BYTES_FILE_SOURCE_H

#include <memory>
#include <string>

#include "ingest/bytes/byte_source.h"

namespace stepsim::ingest {

/// The bytes of a regular file as they lie on disk. Throws InputError if it cannot be opened or is
/// not one.
[[nodiscard]] std::unique_ptr<ByteSource> open_file(const std::string& path);

}  // namespace stepsim::ingest

#endif
