#ifndef STEPSIM_INGEST_LOAD_DISCOVER_H
#define STEPSIM_INGEST_LOAD_DISCOVER_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stepsim::ingest {

/// What stands for standard input where a file is named.
inline constexpr std::string_view kStandardInput = "-";

/// A file of the input, or standard input.
struct FoundFile {
  std::string path;        ///< kStandardInput, if that was named
  bool named = false;      ///< by the user; else found in a folder, where other files may lie beside the traces
  std::uint64_t size = 0;  ///< on disk, for progress; 0 unknown
};

/// Lists the files under `traces`: files, FIFOs and "-" as they are, folders searched to any depth, in natural
/// order (rank2 before rank10). Only a folder's regular files are taken, each inode once, and no
/// hidden ones. Throws InputError for a path that is not there.
[[nodiscard]] std::vector<FoundFile> discover(const std::vector<std::string>& traces);

/// job.yaml in the folder `traces` names or a file of it lies in, or beside that, its worker's or
/// its trial's folder (<trial>/<worker>/<gpu>/files); nothing if there is none.
[[nodiscard]] std::optional<std::string> find_job_file(const std::vector<std::string>& traces);

}  // namespace stepsim::ingest

#endif
