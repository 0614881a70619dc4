#ifndef STEPSIM_INGEST_LOAD_CONTENTS_H
#define STEPSIM_INGEST_LOAD_CONTENTS_H

#include <string>
#include <string_view>

#include "ingest/parts/part.h"
#include "model/job/capture_contents.h"

namespace stepsim::ingest {

/// Counts what a format read from one input. O(events).
[[nodiscard]] SourceContents contents_of(const std::string& name, std::string_view format, const PartSink& sink);

}  // namespace stepsim::ingest

#endif
