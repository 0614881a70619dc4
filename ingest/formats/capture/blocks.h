#ifndef STEPSIM_INGEST_FORMATS_CAPTURE_BLOCKS_H
#define STEPSIM_INGEST_FORMATS_CAPTURE_BLOCKS_H

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "ingest/bytes/byte_source.h"
#include "ingest/parts/part_sink.h"
#include "model/wire/block.h"

namespace stepsim::ingest {

/// A whole block of a capture file.
struct CaptureBlock {
  wire::BlockHeader header;
  std::span<const std::byte> records;  ///< valid until the next block is read
  std::uint64_t offset = 0;            ///< of the records in the file
};

/// Calls `use` with each whole block of `source`, in order. What is no whole block is skipped up to the next one, and
/// counted in `sink`, as are blocks that are missing between others. A part of a block at the end is what a killed
/// writer leaves: it is not counted. Returns the offset behind the last whole block. Throws InputError for a file of a
/// later version. Memory: one block.
std::uint64_t for_each_capture_block(ByteSource& source, PartSink& sink,
                                     const std::function<void(const CaptureBlock&)>& use);

}  // namespace stepsim::ingest

#endif
