#ifndef STEPSIM_INGEST_FORMATS_KINETO_PROCESSES_H
#define STEPSIM_INGEST_FORMATS_KINETO_PROCESSES_H

#include <string>
#include <vector>

#include "ingest/parts/part.h"

namespace stepsim::ingest {

/// The events of one process of a file.
struct ProcessTrace {
  std::string process;  ///< pid as written
  HostDeviceTrace trace;
};

/// Splits the trace of a file into which the traces of several processes were merged, as SGLang's and TraceLens's
/// mergers do. PyTorch's profiler writes one process a file.
///
/// The processes are those with calls that launch device work. Each row of a device belongs to the process whose pid
/// has the same label ("[TP01] 4100" and "[TP01] 0"), else to the one that made the most of the launching calls with
/// the correlations of its work, before that work. If several did, because their numbers are the same, it belongs to
/// the one whose events the file has right before those of the row. Rows of other processes go with the first.
///
/// Each process becomes a rank, numbered in the order of the file. Returns the trace as it is if only one process owns
/// device work. O(events log events).
[[nodiscard]] std::vector<ProcessTrace> split_processes(HostDeviceTrace trace);

}  // namespace stepsim::ingest

#endif
