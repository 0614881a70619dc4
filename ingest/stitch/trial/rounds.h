#ifndef STEPSIM_INGEST_STITCH_TRIAL_ROUNDS_H
#define STEPSIM_INGEST_STITCH_TRIAL_ROUNDS_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ingest/stitch/parameter_server/gpu_parts.h"
#include "ingest/stitch/parameter_server/recorded_gpu.h"
#include "model/base/diagnostics.h"

namespace stepsim::ingest {

/// Where in the life of a tensor's reduction a phase of Horovod's stands.
enum class RoundPart : std::uint8_t {
  kAgreement,  ///< Sync, NEGOTIATE_*: until all ranks are ready
  kQueue,      ///< QUEUE, WAIT_FOR_DATA, INIT_*
  kOthers,     ///< WAIT_FOR_OTHER_TENSOR_DATA
  kCopyIn,     ///< MEMCPY_IN_FUSION_BUFFER
  kTransfer,   ///< NCCL_ALLREDUCE, MPI_BCAST and all else
  kCopyOut,    ///< MEMCPY_OUT_FUSION_BUFFER
};

/// One reduction or broadcast, of one tensor or of several that were fused, on one rank.
struct Round {
  struct Phase {
    std::string name;
    RoundPart part = RoundPart::kTransfer;
    Time start;
    Time finish;
  };
  std::vector<std::uint32_t> tensors;     ///< indices into GpuRounds::stages.tensors, in natural order of their names
  std::string group;                      ///< "1+2": their names
  std::vector<Phase> phases;              ///< by part, then start; of each name one
  std::vector<ChunkTrace::Chunk> chunks;  ///< by start
  Time begin;                             ///< when this rank was ready for it
  Time end;
  std::int64_t step = kNoStep;
  std::vector<std::size_t> chains;  ///< of its tensors, in RecordedGpu::chains; filled in by find_steps()

  [[nodiscard]] const Phase* find(RoundPart part) const noexcept;
};

/// What a GPU's library did for its tensors.
struct GpuRounds {
  std::vector<Round> rounds;                ///< by begin
  StageTrace stages;                        ///< each tensor's part in each round as one total, for arrange_gpus()
  std::vector<std::optional<Bytes>> bytes;  ///< by tensor
};

/// Divides what Horovod and NCCL recorded on a GPU into rounds. A tensor's next round begins where a phase does not
/// come later in the pipeline than the one before it. Tensors whose Sync began at the same instant, or that NCCL's
/// chunks name together, were fused. Chunks belong to the round of their tensor that was the last to begin before them.
/// NEGOTIATE beside Sync is left out and counted, and so are chunks outside all rounds. O(events log events).
[[nodiscard]] GpuRounds rounds_of(const GpuParts& parts, Diagnostics& diagnostics);

/// Takes the rounds' steps from the chains that arrange_gpus() made of their totals. Rounds without a step are left
/// out.
void find_steps(GpuRounds& rounds, const RecordedGpu& gpu);

}  // namespace stepsim::ingest

#endif
