#ifndef STEPSIM_INGEST_BYTES_GZIP_SOURCE_H
#define STEPSIM_INGEST_BYTES_GZIP_SOURCE_H

#include <memory>

#include "ingest/bytes/byte_source.h"

namespace stepsim::ingest {

/// Inflates the gzip members that `compressed` holds, one after the other (RFC 1952 allows
/// several), and checks their checksums. Zeros after the last member are padding. What is cut
/// short or damaged gives the bytes up to there and truncated(); if there are none, read()
/// throws InputError.
[[nodiscard]] std::unique_ptr<ByteSource> inflate(std::unique_ptr<ByteSource> compressed);

}  // namespace stepsim::ingest

#endif
