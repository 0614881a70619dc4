#ifndef STEPSIM_MODEL_CALIBRATION_PARAMETER_SERVER_H
#define STEPSIM_MODEL_CALIBRATION_PARAMETER_SERVER_H

#include <cstddef>

#include "model/calibration/calibration.h"
#include "model/job/recording.h"

namespace stepsim {

struct PsWorkload;

/// The rate that pushes sustained, and how well it is known.
struct PushRate {
  double bytes_per_second = 0;  ///< 0: no worker had enough pushes under way at once
  std::size_t samples = 0;      ///< workers (or servers) and steps that show one
  double residual = 0;          ///< median relative distance of the samples from the rate
};

/// What a link carried while pushes never ran out: the bytes acknowledged after the first
/// acknowledgement of such a time, over the time from it to the last one. The middle over
/// workers and steps for their links out, the same over servers for their links in; of both
/// the larger, because the other link was not the narrow one. O(pushes log pushes).
[[nodiscard]] PushRate sustained_push_rate(const PsWorkload& workload);

/// The part of calibrate() for parameter-server jobs: every worker and server on one switch.
/// job.yaml's bandwidth holds unless pushes kept up more than it allows: acknowledgements that
/// wait behind answers make the rate of pushes uncertain by some percent, and a job may never
/// fill its links. Copies are a line through the recorded ones.
/// Precondition: capture.parameter_server has steps. Throws as calibrate().
[[nodiscard]] Calibration calibrate_parameter_server(const Capture& capture);

}  // namespace stepsim

#endif
