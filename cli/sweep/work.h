#ifndef STEPSIM_CLI_SWEEP_WORK_H
#define STEPSIM_CLI_SWEEP_WORK_H

#include <optional>
#include <string>
#include <vector>

#include "cli/program/command.h"
#include "cli/program/options.h"
#include "cli/sweep/shard.h"
#include "scenarios/question/scenario.h"

namespace stepsim::cli {

/// What a sweep is asked to do, and how.
struct SweepRequest {
  CommonOptions common;
  scenarios::Scenario scenario;
  std::vector<std::string> arguments;      ///< for the provenance: what the result depends on
  bool resume = false;                     ///< --resume
  std::optional<std::string> resume_file;  ///< and its FILE
  Shard shard;                             ///< of --shard or of the environment
};

/// Predicts the points that are this process's, and reports them, or leaves them as a part.
///
/// Points are kept in a file as they are done: FILE of --resume, else beside -o as OUT.points,
/// which goes when OUT is there. A shard's part is such a file: -o's with --shard, and
/// OUT.part-I-of-N where the environment says which shard; of those the last to be done
/// also writes OUT.
void run_sweep(SweepRequest request, const Session& session);

/// Makes the one result of all parts (common.traces).
void run_merge(const CommonOptions& options, const Session& session);

}  // namespace stepsim::cli

#endif
