#ifndef STEPSIM_INGEST_LOAD_DISCOVER_H
#define STEPSIM_INGEST_LOAD_DISCOVER_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/diagnostics.h"

namespace stepsim::ingest {

/// What stands for standard input where a file is named.
inline constexpr std::string_view kStandardInput = "-";

/// A file of the input, or standard input.
struct FoundFile {
  std::string path;        ///< kStandardInput, if that was named
  bool named = false;      ///< by the user; else found in a folder, where other files may lie beside the traces
  std::uint64_t size = 0;  ///< on disk, for progress; 0 unknown
  std::string member;      ///< the file or folder in it that was named, of an archive; empty: all of it
};

struct FoundFiles {
  std::vector<FoundFile> files;
  Diagnostics diagnostics;  ///< on what folders hold besides, hidden files excepted
};

/// Lists the files under `traces`: files, FIFOs and "-" as they are, folders searched to any depth, in natural
/// order (rank2 before rank10). A path that goes on behind a file, "run.tar.gz/job/rank0.json", names what is in that
/// archive, as messages do. Only a folder's regular files are taken, each inode once, and no
/// hidden ones. Throws InputError for a path that is not there, and for whatever the system does not let us look at.
[[nodiscard]] FoundFiles discover(const std::vector<std::string>& traces);

/// job.yaml in the folder `traces` names or a file of it lies in, or beside that, its worker's or
/// its trial's folder (<trial>/<worker>/<gpu>/files); nothing if there is none. Throws InputError if the system does
/// not say.
[[nodiscard]] std::optional<std::string> find_job_file(const std::vector<std::string>& traces);

/// `path` from the root on. In a working folder that was removed a relative one stays as it is.
[[nodiscard]] std::string absolute_path(const std::string& path);

}  // namespace stepsim::ingest

#endif
