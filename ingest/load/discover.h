#ifndef STEPSIM_INGEST_LOAD_DISCOVER_H
#define STEPSIM_INGEST_LOAD_DISCOVER_H

#include <optional>
#include <string>
#include <vector>

#include "ingest/formats/format.h"
#include "model/base/diagnostics.h"

namespace stepsim::ingest {

/// A file of the input and the format that recognised it.
struct FoundFile {
  std::string path;
  const Format* format = nullptr;
  std::uint64_t size = 0;     ///< on disk
  std::string gpu_folder;     ///< the folder it lies in
  std::string worker_folder;  ///< the folder of that one
};

/// Lists the trace files under `traces`: files as they are, folders searched to any depth,
/// in natural order (rank2 before rank10). A folder's regular files are taken only, each
/// inode once, hidden ones not; files there that no format recognises are counted.
/// Throws InputError for a path that is not there, a named file of no known format, and if
/// nothing was found.
[[nodiscard]] std::vector<FoundFile> discover(const std::vector<std::string>& traces, Diagnostics& diagnostics);

/// job.yaml in the folder `traces` names or a file of it lies in, or beside that, its worker's or
/// its trial's folder (<trial>/<worker>/<gpu>/files); nothing if there is none.
[[nodiscard]] std::optional<std::string> find_job_file(const std::vector<std::string>& traces);

}  // namespace stepsim::ingest

#endif
