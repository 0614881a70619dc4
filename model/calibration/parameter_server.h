#ifndef STEPSIM_MODEL_CALIBRATION_PARAMETER_SERVER_H
#define STEPSIM_MODEL_CALIBRATION_PARAMETER_SERVER_H

#include <array>
#include <cstddef>

#include "model/base/fit.h"
#include "model/base/units.h"
#include "model/calibration/calibration.h"
#include "model/job/parameter_server/workload.h"
#include "model/job/recording.h"

namespace stepsim {

/// How long a stage takes on one GPU: a fixed part and a part a byte; and how long its thread takes
/// to pick it up once it may begin (BytePS's threads sleep between looks at their queues).
struct PsStageCost {
  LineFit time;          ///< nanoseconds over bytes
  Duration hand_over{};  ///< the median wait of stages that nothing else held back
  [[nodiscard]] Duration of(Bytes bytes) const noexcept;
};

/// By PsStage. PUSH and PULL, which the network times, have hand_over only.
using PsStageCosts = std::array<PsStageCost, kPsStages>;

/// Fits the stages that the capture recorded on roots (the largest local rank of each worker)
/// or, with `on_roots` false, on the other GPUs. A stage never recorded costs nothing.
/// A GPU copies and reduces its 1/n of a partition, and the size is that. O(stages log stages).
[[nodiscard]] PsStageCosts stage_costs(const PsWorkload& workload, bool on_roots);

/// The part of a partition that GPU `local_rank` of `local_size` copies: an equal share of 4-byte
/// elements, and for the last GPU the remainder too.
[[nodiscard]] Bytes share_of(Bytes partition, std::uint32_t local_rank, std::uint32_t local_size) noexcept;

struct PsWorkload;

/// How two workers shared a server's link, as kSharing (model/cost/network/maxmin.h) counts it.
struct SharingSeen {
  double sharing = 1;
  std::size_t samples = 0;  ///< contests that show it
  double residual = 0;      ///< median distance of a contest's own figure
};

/// A contest is a time in which exactly two workers have pushes to one server under way and none to
/// another, so that only that server's link holds them back. In it, one of them must get eight
/// pushes acknowledged, and both together four fifths of what `link` carries. The sharing is what
/// the slower one got, divided by what the faster one got, over all contests; a difference of one
/// push counts as none. O(pushes log pushes).
[[nodiscard]] SharingSeen sharing_of_pushes(const PsWorkload& workload, Bandwidth link);

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
