#ifndef STEPSIM_CLI_SWEEP_WORK_H
#define STEPSIM_CLI_SWEEP_WORK_H

#include <optional>
#include <string>
#include <vector>

#include "cli/program/command.h"
#include "cli/program/options.h"
#include "cli/sweep/part.h"
#include "scenarios/question/scenario.h"

namespace stepsim::cli {

/// What a sweep has to do, and how.
struct SweepRequest {
  CommonOptions common;
  scenarios::Scenario scenario;
  std::vector<std::string> arguments;      ///< for the provenance: only what the result depends on
  bool resume = false;                     ///< --resume
  std::optional<std::string> resume_file;  ///< the FILE of --resume
  Shard shard;                             ///< from --shard or the environment
};

/// Predicts the points of this process's shard. Reports them if they are all points, else leaves a part.
///
/// Finished points are kept in a file: FILE of --resume, else OUT.points beside -o OUT, which is removed
/// once OUT is written. The part of a shard is such a file: -o's with --shard, OUT.part-I-of-N if the
/// environment names the shard. In that case the process that finishes last also writes OUT.
void run_sweep(SweepRequest request, const Session& session);

/// Joins all parts (common.traces) into one result.
void run_merge(const CommonOptions& options, const Session& session);

}  // namespace stepsim::cli

#endif
