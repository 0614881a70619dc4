#ifndef STEPSIM_CLI_SWEEP_WORK_H
#define STEPSIM_CLI_SWEEP_WORK_H

#include <optional>
#include <string>
#include <vector>

#include "cli/program/command.h"
#include "cli/program/options.h"
#include "cli/sweep/engine.h"
#include "cli/sweep/part.h"
#include "cli/work/what_if_session.h"
#include "scenarios/question/scenario.h"

namespace stepsim::cli {

/// Returns the head of the answer about the points of `scenario`. Predicts the baseline.
[[nodiscard]] scenarios::SweepHead sweep_head(WhatIfSession& what_if, const scenarios::Scenario& scenario,
                                              const scenarios::Sweep& sweep, sim::Provenance provenance,
                                              const sim::EngineOptions& engine);

/// The definition of a sweep, and how to run it.
struct SweepRequest {
  CommonOptions common;
  scenarios::Scenario scenario;
  std::vector<std::string> arguments;      ///< for the provenance, without options that do not influence the result
  bool resume = false;                     ///< --resume
  std::optional<std::string> resume_file;  ///< the FILE of --resume
  Shard shard;                             ///< from --shard or the environment
};

/// Predicts the points of this process's shard. If the shard has all points, reports the result. Otherwise it only
/// reports where its points are stored.
///
/// Finished points are stored in a file. If the shard has all points, this is FILE of --resume, or else OUT.points for
/// -o OUT; OUT.points is removed after OUT is written. A shard I of N stores its points in OUT.part-I-of-N if the
/// environment defines the shard or if OUT has the extension of a result, such as .json. The process that finishes last
/// then also writes OUT. In all other cases a shard stores its points in OUT itself.
void run_sweep(SweepRequest request, const Session& session);

/// Predicts the points on an engine and reports the result. Parts and logs are written to a folder beside -o FILE, or
/// else in the current folder, because all machines must see it; the folder is removed at the end.
/// request.arguments must be a command line that predicts the sweep (arguments_again()).
void run_on_engine(const SweepRequest& request, const Engine& engine, const Session& session);

/// Merges the parts of all shards, whose paths are options.traces, and reports the complete result.
void run_merge(const CommonOptions& options, const Session& session);

}  // namespace stepsim::cli

#endif
