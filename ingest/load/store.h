#ifndef STEPSIM_INGEST_LOAD_STORE_H
#define STEPSIM_INGEST_LOAD_STORE_H

#include <string>
#include <vector>

#include "ingest/load/load.h"
#include "ingest/stored/stored_part.h"

namespace stepsim::ingest {

/// Reads the files under `traces`, with all details, and the job.yaml in or near them, as the part of a job that can be
/// joined with other parts later. Nothing is joined, so the ranks of a part may be any of the job's. Throws what load()
/// throws for files that cannot be used.
[[nodiscard]] StoredPart read_part(const std::vector<std::string>& traces, const LoadOptions& options);

}  // namespace stepsim::ingest

#endif
