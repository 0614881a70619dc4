#ifndef STEPSIM_INGEST_SURVEY_SURVEY_H
#define STEPSIM_INGEST_SURVEY_SURVEY_H

#include <optional>
#include <string>
#include <vector>

#include "ingest/load/load.h"
#include "model/base/id.h"
#include "model/job/capture_contents.h"

namespace stepsim::ingest {

/// What files hold, whether or not they make a job.
struct Survey {
  CaptureContents contents;
  Diagnostics diagnostics;         ///< of reading and, where there is a job, of joining
  std::optional<Capture> capture;  ///< the job, if the files make one
  std::string problem;             ///< else why not, one line, as an error says it
};

/// Looks into every file under `traces` and joins them as load() does. Files that cannot be used, and a job that cannot
/// be joined, are no errors but findings. Throws InputError for a path that is not there and for a job.yaml that cannot
/// be used, UsageError as load() does, Interrupted. Files are read once to be joined (twice where one cannot be used)
/// and once for find_private_content(), at the same time if options.threads is more than 1.
[[nodiscard]] Survey survey(const std::vector<std::string>& traces, const LoadOptions& options);

struct RankFile {
  std::string file;
  Rank rank = 0;
};

/// The files of PyTorch's profiler under `traces` with the rank of each: the one that it names, else the smallest that
/// is free, as load() numbers them. Reads the files. Throws InputError as load() does for a file that cannot be read.
[[nodiscard]] std::vector<RankFile> ranks_of_files(const std::vector<std::string>& traces, const LoadOptions& options);

}  // namespace stepsim::ingest

#endif
