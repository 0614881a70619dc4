#ifndef STEPSIM_INGEST_LOAD_DISCOVER_H
#define STEPSIM_INGEST_LOAD_DISCOVER_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/diagnostics.h"

namespace stepsim::ingest {

/// The argument that stands for standard input instead of a file.
inline constexpr std::string_view kStandardInput = "-";

/// A file of the input, or standard input.
struct FoundFile {
  std::string path;        ///< kStandardInput for standard input
  bool named = false;      ///< named by the user; false if found in a folder
  std::uint64_t size = 0;  ///< size on disk, for the progress display; 0 = unknown
  std::string member;      ///< the requested file or folder inside an archive; empty = all of it
};

struct FoundFiles {
  std::vector<FoundFile> files;
  Diagnostics diagnostics;  ///< about other things in the folders, except hidden files
};

/// Lists the files under `traces`. Files, FIFOs and "-" are listed as given; folders are searched to any depth, in
/// natural order (rank2 before rank10). A path that continues after a file name, such as "run.tar.gz/job/rank0.json",
/// names a member of that archive; messages use the same form. A path that does not exist can be a pattern such as
/// "run/rank*.json.gz" (glob(7)), which stands for what it matches. In folders, only regular files are listed, each
/// inode once, and hidden files are skipped. Throws InputError for a path that does not exist and for anything that the
/// system does not allow to be read.
[[nodiscard]] FoundFiles discover(const std::vector<std::string>& traces);

/// Searches for the job.yaml of `traces`. For each path in `traces`, searches the folder that the path names, or the
/// folder that contains the named file, and then up to three folders above it, because a GPU's files may be in
/// <trial>/<worker>/<gpu>/. Returns the first job.yaml that it finds, or nullopt if there is none. Throws InputError if
/// the system does not allow the search, or if a job.yaml is not a regular file.
[[nodiscard]] std::optional<std::string> find_job_file(const std::vector<std::string>& traces);

/// Makes `path` absolute. If the working folder was removed, a relative path is returned unchanged.
[[nodiscard]] std::string absolute_path(const std::string& path);

}  // namespace stepsim::ingest

#endif
