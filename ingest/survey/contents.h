#ifndef STEPSIM_INGEST_SURVEY_CONTENTS_H
#define STEPSIM_INGEST_SURVEY_CONTENTS_H

#include "ingest/load/read.h"
#include "model/job/capture_contents.h"

namespace stepsim::ingest {

/// Counts what was read of one input. O(events).
[[nodiscard]] SourceContents contents_of(const ReadInput& input);

}  // namespace stepsim::ingest

#endif
