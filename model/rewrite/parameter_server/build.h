#ifndef STEPSIM_MODEL_REWRITE_PARAMETER_SERVER_BUILD_H
#define STEPSIM_MODEL_REWRITE_PARAMETER_SERVER_BUILD_H

#include <cstdint>
#include <vector>

#include "model/job/cluster.h"
#include "model/job/parameter_server/workload.h"
#include "model/job/recording.h"

namespace stepsim {

/// Settings of the parameter-server job to build.
struct PsOptions {
  Job job;                            ///< settings of the job; workers and servers must be set
  std::vector<double> compute_scale;  ///< factor on the durations of each worker's operators; 1 for workers not listed
  /// Number of steps before the recorded ones, so that the job is in a steady state when the recorded steps begin.
  std::uint32_t warm_up = 5;
  /// If true, the workers' starts are spread evenly over an iteration. During warm-up, workers come together if the job
  /// synchronizes them; otherwise they stay apart, as in reality. If false, workers start as recorded.
  bool spread = true;
};

/// Returns the settings that the capture ran with.
[[nodiscard]] PsOptions as_captured(const PsWorkload& workload);

/// Rebuilds the graph of a parameter-server job from what `capture` shows, with `options`, on `cluster`. The endpoints
/// of `cluster` are the workers in order, then the servers. docs/internals/models.md, "Parameter-server jobs",
/// describes the rules.
///
/// The dag has `warm_up` copies of the first recorded step, then the recorded steps with their own operator durations.
/// Workers beyond the captured ones are copies of the worker with the median compute time. If there are fewer workers
/// than captured, the last ones are left out. Transfers have bytes and lanes with endpoints, and a duration of 0: only
/// a network model can time them.
///
/// The recording contains the steps of the captured workers: operators always, stages only if the partitions are those
/// of the capture. Tasks that were not recorded belong to no step; their recorded time is the start of their rank's
/// first step.
///
/// O(steps * workers * partitions), which must not exceed a million. Throws InputError, one sentence, if it does, if
/// the capture lacks required data, or if the cluster has too few endpoints.
[[nodiscard]] Capture build_parameter_server(const Capture& capture, const PsOptions& options, const Cluster& cluster);

/// Where workers and servers run.
struct PsPlaces {
  std::uint32_t workers = 1;
  std::uint32_t servers = 0;
  bool colocated = false;  ///< server s is on the host of worker s mod workers, instead of a host of its own
  friend bool operator==(const PsPlaces&, const PsPlaces&) = default;
};

/// Returns the places of a job in a cluster, whose endpoints are the workers in order, then the servers.
[[nodiscard]] PsPlaces places_in(const Cluster& cluster, std::uint32_t workers, std::uint32_t servers);

/// Returns `cluster` with other places. The first workers and the first servers keep their hosts; new hosts are like
/// the usual ones. Throws ShapeProblem if the cluster does not say how they would be connected.
[[nodiscard]] Cluster with_places(const Cluster& cluster, const PsPlaces& before, const PsPlaces& after);

}  // namespace stepsim

#endif
