#ifndef STEPSIM_INGEST_STITCH_PARAMETER_SERVER_MERGED_TRACES_H
#define STEPSIM_INGEST_STITCH_PARAMETER_SERVER_MERGED_TRACES_H

#include <vector>

#include "ingest/stitch/parameter_server/gpu_parts.h"

namespace stepsim::ingest {

/// Divides files into which the traces of several GPUs were merged. Where events name more than one
/// process ("rank<r>", "wk<i>.rank<r>" or "<host>.rank<r>"; in a merged comm.json, more than one pid),
/// each process becomes a GPU. Events without a process go to the first of them. Workers are numbered
/// again, by folder, then by the prefix before ".rank<r>", and GPUs by rank.
///
/// Files with one process are left as they are, and so are files with more than 256 processes, whose
/// pids mean something else.
[[nodiscard]] std::vector<GpuParts> split_merged_traces(std::vector<GpuParts> gpus);

}  // namespace stepsim::ingest

#endif
