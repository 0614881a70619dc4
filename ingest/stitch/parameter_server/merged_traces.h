#ifndef STEPSIM_INGEST_STITCH_PARAMETER_SERVER_MERGED_TRACES_H
#define STEPSIM_INGEST_STITCH_PARAMETER_SERVER_MERGED_TRACES_H

#include <vector>

#include "ingest/stitch/parameter_server/gpu_parts.h"

namespace stepsim::ingest {

/// Takes apart files into which the traces of several GPUs were put: those whose events name
/// more than one "rank<r>", "wk<i>.rank<r>" or "<host>.rank<r>" (or, in a merged comm.json,
/// more than one pid) become a GPU each. Workers are numbered again, by folder, then prefix.
/// Events of no process go to the first. Other parts are left as they are, and files with
/// hundreds of pids too.
[[nodiscard]] std::vector<GpuParts> split_merged_traces(std::vector<GpuParts> gpus);

}  // namespace stepsim::ingest

#endif
