#ifndef STEPSIM_MODEL_CALIBRATION_STAGE_COSTS_H
#define STEPSIM_MODEL_CALIBRATION_STAGE_COSTS_H

#include <array>
#include <cstddef>

#include "model/base/fit.h"
#include "model/base/units.h"
#include "model/job/parameter_server/workload.h"

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

}  // namespace stepsim

#endif
