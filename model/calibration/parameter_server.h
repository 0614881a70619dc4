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

/// The duration of a stage on one GPU (a fixed part and a part per byte), and the delay before its thread starts it.
/// BytePS's threads poll their queues and sleep in between.
struct PsStageCost {
  LineFit time;          ///< time in nanoseconds as a function of bytes
  Duration hand_over{};  ///< median delay of stages that had nothing else to wait for
  [[nodiscard]] Duration of(Bytes bytes) const noexcept;
};

/// The costs of all stages, indexed by PsStage. PUSH and PULL have only hand_over, because network models determine
/// their time.
using PsStageCosts = std::array<PsStageCost, kPsStages>;

/// Fits the stages that the capture recorded on roots (the largest local rank of each worker) or, if `on_roots` is
/// false, on the other GPUs. A stage that was never recorded costs nothing. Each of n GPUs copies and reduces 1/n of a
/// partition, so the fits use the size of this share, not of the partition. O(stages log stages).
[[nodiscard]] PsStageCosts stage_costs(const PsWorkload& workload, bool on_roots);

/// Returns the part of a partition that GPU `local_rank` of `local_size` copies: an equal share of 4-byte elements. The
/// last GPU also copies the remainder.
[[nodiscard]] Bytes share_of(Bytes partition, std::uint32_t local_rank, std::uint32_t local_size) noexcept;

struct PsWorkload;

/// How two workers shared a server's link, in the unit of kSharing (model/cost/network/maxmin.h).
struct SharingSeen {
  double sharing = 1;
  std::size_t samples = 0;  ///< number of contests found
  double residual = 0;      ///< median absolute difference between a contest's own sharing and `sharing`
};

/// Measures sharing in contests. A contest is a period in which exactly two workers have pushes under way to one server
/// and none to another, so that only that server's link limits them. In a contest, one worker must get at least eight
/// pushes acknowledged, and both together must use at least four fifths of what `link` carries. The sharing is the
/// bytes of the slower worker divided by the bytes of the faster one, summed over all contests. A contest counts as
/// fair if the faster worker got at most one push more acknowledged. O(pushes log pushes).
[[nodiscard]] SharingSeen sharing_of_pushes(const PsWorkload& workload, Bandwidth link);

struct PsWorkload;

/// The sustained rate of pushes and its uncertainty, from the busy periods of sustained_push_rate().
struct PushRate {
  double bytes_per_second = 0;  ///< 0 if no busy period has enough pushes
  std::size_t samples = 0;      ///< number of busy periods that gave a rate
  double residual = 0;          ///< median relative difference of the samples from the rate
};

/// Returns the rate of a link that always has pushes to send. A busy period is a part of a step in which at least one
/// push of a worker, or to a server, is always under way. Its rate is the bytes acknowledged after its first
/// acknowledgement, divided by the time from the first to the last one. Takes the median over the periods of all
/// workers for outgoing links, and over those of all servers for incoming links. Returns the larger of the two, because
/// the other link was not the bottleneck. O(pushes log pushes).
[[nodiscard]] PushRate sustained_push_rate(const PsWorkload& workload);

/// Calibrates parameter-server jobs, as part of calibrate(): every worker and server has a link to one switch.
/// job.yaml's bandwidth is used unless pushes sustained clearly more than it allows. Acknowledgements queue after
/// answers to pulls, so the rate of pushes is uncertain by a few percent. A job may also never fill its links. The time
/// of a copy is a line fitted to the recorded copies. Precondition: capture.parameter_server has steps. Throws as
/// calibrate() does.
[[nodiscard]] Calibration calibrate_parameter_server(const Capture& capture);

}  // namespace stepsim

#endif
