#ifndef STEPSIM_INGEST_SURVEY_SURVEY_H
#define STEPSIM_INGEST_SURVEY_SURVEY_H

#include <optional>
#include <string>
#include <vector>

#include "ingest/load/load.h"
#include "model/base/id.h"
#include "model/job/capture_contents.h"

namespace stepsim::ingest {

/// The content of files, whether or not they make a job.
struct Survey {
  CaptureContents contents;
  Diagnostics diagnostics;         ///< from reading and, if there is a job, from joining
  std::optional<Capture> capture;  ///< the job, if the files make one
  std::string problem;             ///< if there is no job, the reason in one line
};

/// Examines every file under `traces` and joins them as load() does. Files that cannot be used, and a job that cannot
/// be joined, are findings, not errors. Throws InputError for a path that does not exist and for a job.yaml that cannot
/// be used, UsageError as load() does, and Interrupted on Ctrl-C. Each file is read once to be joined (twice if some
/// file cannot be used) and once by find_private_content(), in parallel if options.threads is more than 1.
[[nodiscard]] Survey survey(const std::vector<std::string>& traces, const LoadOptions& options);

struct RankFile {
  std::string file;
  Rank rank = 0;
};

/// Returns the PyTorch profiler files under `traces` with the rank of each, numbered as load() does: the stated rank,
/// else the smallest free one. Reads the files. Throws InputError as load() does for a file that cannot be read.
[[nodiscard]] std::vector<RankFile> ranks_of_files(const std::vector<std::string>& traces, const LoadOptions& options);

}  // namespace stepsim::ingest

#endif
