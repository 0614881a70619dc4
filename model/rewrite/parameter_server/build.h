#ifndef STEPSIM_MODEL_REWRITE_PARAMETER_SERVER_BUILD_H
#define STEPSIM_MODEL_REWRITE_PARAMETER_SERVER_BUILD_H

#include <cstdint>
#include <vector>

#include "model/job/cluster.h"
#include "model/job/parameter_server/workload.h"
#include "model/job/recording.h"

namespace stepsim {

/// What a parameter-server job is to be built as.
struct PsOptions {
  Job job;                            ///< workers and servers are set
  std::vector<double> compute_scale;  ///< by worker, of its operators' durations; 1 for those not named
  std::uint32_t warm_up = 5;          ///< steps before the recorded ones, so that these find a job under way
  /// Workers begin spread evenly over an iteration. A job that pulls its workers together does
  /// so while it warms up; where they get into each other's way, they stay apart, as real ones
  /// do. False: they begin as they were recorded.
  bool spread = true;
};

/// The settings under which the capture ran.
[[nodiscard]] PsOptions as_captured(const PsWorkload& workload);

/// Builds the graph of a parameter-server job anew from what `capture` shows of it, under
/// `options` and on `cluster`, whose endpoints are the workers in their order, then the servers.
/// The rules are those of docs/models.md, "Parameter-server jobs".
///
/// The dag holds `warm_up` copies of the first recorded step, then the recorded steps with
/// their own operator durations. Workers beyond the captured ones are copies of the one whose
/// compute takes the middle time; with fewer, the last are left out. Transfers have bytes and
/// lanes with endpoints: only a network model can time them (their durations are 0).
///
/// The recording holds the captured workers' steps: of operators always, of stages where the
/// partitions are those of the capture. Tasks that nobody recorded belong to no step and have
/// the start of their rank's first step as their recorded time.
///
/// O(steps * workers * partitions), of which there may be a million. Throws InputError, one
/// sentence, for more, and where the capture lacks what it takes or the cluster has too few
/// endpoints.
[[nodiscard]] Capture build_parameter_server(const Capture& capture, const PsOptions& options, const Cluster& cluster);

/// `cluster` for another number of workers and servers: as many endpoints, each of `workers`
/// and `servers` like the first of its kind in `cluster`, on a star. Colocated: server s is on
/// the host of worker s mod workers. Precondition: cluster.endpoints is not empty.
[[nodiscard]] Cluster with_endpoints(const Cluster& cluster, std::uint32_t workers, std::uint32_t servers,
                                     bool colocated = false);

}  // namespace stepsim

#endif
