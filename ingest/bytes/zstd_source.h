#ifndef STEPSIM_INGEST_BYTES_ZSTD_SOURCE_H
#define STEPSIM_INGEST_BYTES_ZSTD_SOURCE_H

#include <memory>
#include <string_view>

#include "ingest/bytes/byte_source.h"

namespace stepsim::ingest {

/// True if bytes that begin so are a frame of Zstandard (RFC 8878).
[[nodiscard]] bool is_zstd(std::string_view head) noexcept;

/// Inflates the frames that `compressed` holds, one after the other. What is cut short or damaged gives the bytes up to
/// there, less at most 128 KiB that libarchive keeps to itself, and truncated(); if there are none, read() throws
/// InputError. Memory: a window of at most 128 MiB.
[[nodiscard]] std::unique_ptr<ByteSource> inflate_zstd(std::unique_ptr<ByteSource> compressed);

}  // namespace stepsim::ingest

#endif
