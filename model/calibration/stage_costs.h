#ifndef STEPSIM_MODEL_CALIBRATION_STAGE_COSTS_H
#define STEPSIM_MODEL_CALIBRATION_STAGE_COSTS_H

#include <array>
#include <cstddef>

#include "model/base/fit.h"
#include "model/base/units.h"
#include "model/job/parameter_server/workload.h"

namespace stepsim {

/// What a stage takes on one GPU, whatever its size and a byte of it, and how long after what
/// it waits for its thread takes it up (BytePS's threads sleep between looks at their queues).
struct PsStageCost {
  LineFit time;          ///< nanoseconds over bytes
  Duration hand_over{};  ///< the middle wait of stages that nothing else kept
  [[nodiscard]] Duration of(Bytes bytes) const noexcept;
};

/// By PsStage; of PUSH and PULL, which are the network's, only hand_over.
using PsStageCosts = std::array<PsStageCost, kPsStages>;

/// Fits the stages that the capture recorded on roots (the largest local rank of each worker)
/// or, with `on_roots` false, on the other GPUs. A stage never recorded costs nothing.
/// A GPU copies and reduces its 1/n of a partition, and the size is that. O(stages log stages).
[[nodiscard]] PsStageCosts stage_costs(const PsWorkload& workload, bool on_roots);

/// What GPU `local_rank` of `local_size` copies of a partition: an equal share of 4-byte
/// elements, the last GPU the remainder too.
[[nodiscard]] Bytes share_of(Bytes partition, std::uint32_t local_rank, std::uint32_t local_size) noexcept;

}  // namespace stepsim

#endif
