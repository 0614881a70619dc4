#ifndef STEPSIM_INGEST_SURVEY_RANKS_OF_FILES_H
#define STEPSIM_INGEST_SURVEY_RANKS_OF_FILES_H

#include <string>
#include <vector>

#include "ingest/load/load.h"
#include "model/base/id.h"

namespace stepsim::ingest {

struct RankFile {
  std::string file;
  Rank rank = 0;
};

/// The files of PyTorch's profiler under `traces` with the rank of each: the one that it names, else the smallest that
/// is free, as load() numbers them. Reads the files. Throws InputError as load() does for a file that cannot be read.
[[nodiscard]] std::vector<RankFile> ranks_of_files(const std::vector<std::string>& traces, const LoadOptions& options);

}  // namespace stepsim::ingest

#endif
