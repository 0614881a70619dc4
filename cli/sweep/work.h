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

/// The definition of a sweep, and how to run it.
struct SweepRequest {
  CommonOptions common;
  scenarios::Scenario scenario;
  std::vector<std::string> arguments;      ///< for the provenance, without options that do not influence the result
  bool resume = false;                     ///< --resume
  std::optional<std::string> resume_file;  ///< the FILE of --resume
  Shard shard;                             ///< from --shard or the environment
};

/// Predicts the points of this process's shard. Reports them if the shard has all points, otherwise leaves a part.
///
/// Finished points are stored in a file: FILE of --resume, or else OUT.points next to -o OUT. The latter is removed
/// after OUT is written. The part of a shard has the same form: it is FILE of -o with --shard, and OUT.part-I-of-N if
/// the environment defines the shard. In the latter case the process that finishes last also writes OUT.
void run_sweep(SweepRequest request, const Session& session);

/// Merges all parts (common.traces) into one result.
void run_merge(const CommonOptions& options, const Session& session);

}  // namespace stepsim::cli

#endif
