#ifndef STEPSIM_INGEST_CUT_EVENT_FILTER_H
#define STEPSIM_INGEST_CUT_EVENT_FILTER_H

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "ingest/bytes/byte_source.h"

namespace stepsim::ingest {

/// Writes a Chrome trace with only the records that begin at the offsets in `kept`, which ascend: those and all else of
/// the file byte for byte, each record on a line of its own. A file that is cut short gets the brackets that it lacks.
/// Memory does not grow with the file. O(bytes).
void filter_events(ByteSource& source, const std::vector<std::uint64_t>& kept,
                   const std::function<void(std::string_view)>& out);

}  // namespace stepsim::ingest

#endif
