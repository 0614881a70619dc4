#ifndef STEPSIM_INGEST_BYTES_MEMORY_SOURCE_H
#define STEPSIM_INGEST_BYTES_MEMORY_SOURCE_H

#include <memory>
#include <span>
#include <string>

#include "ingest/bytes/byte_source.h"

namespace stepsim::ingest {

/// Bytes in memory, which must outlive the source. `name` stands for a path in messages.
[[nodiscard]] std::unique_ptr<ByteSource> memory_source(std::span<const char> bytes, std::string name);

}  // namespace stepsim::ingest

#endif
