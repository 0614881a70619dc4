#ifndef STEPSIM_INGEST_STITCH_PARAMETER_SERVER_STAGE_CHAINS_H
#define STEPSIM_INGEST_STITCH_PARAMETER_SERVER_STAGE_CHAINS_H

#include <cstdint>
#include <vector>

#include "ingest/parts/part.h"
#include "model/base/diagnostics.h"

namespace stepsim::ingest {

/// The number of a step that is not known. Recorded steps have numbers from 0.
inline constexpr std::int64_t kNoStep = -1;

/// One stage of one partition, as recorded.
struct StageSpan {
  Stage stage = Stage::kTotal;
  Time start;
  Time finish;
};

/// The stages that a partition of a tensor went through in one step on one GPU. A tensor of
/// which only the total was recorded counts as one partition with the single stage kTotal.
struct StageChain {
  std::uint32_t tensor = 0;       ///< index into StageTrace::tensors, which is also RecordedGpu::tensors
  std::int64_t key = 0;           ///< of the partition; negative for a whole tensor
  std::uint32_t occurrence = 0;   ///< how many chains of this key came before
  std::int64_t step = kNoStep;    ///< the step's number
  std::vector<StageSpan> stages;  ///< by start; never empty

  /// The stage, if it was recorded; else null.
  [[nodiscard]] const StageSpan* find(Stage stage) const noexcept;
  /// The key under which the tensor was declared; negative for a whole tensor.
  [[nodiscard]] std::int64_t declared_key() const noexcept { return key >> 16; }
  /// The partition's index within its tensor. Precondition: it is not a whole tensor.
  [[nodiscard]] std::int64_t partition() const noexcept { return key & 0xFFFF; }
  /// The key that stands for a whole tensor. No partition has it.
  [[nodiscard]] static std::int64_t key_of_whole(std::uint32_t tensor) noexcept { return -2 - std::int64_t{tensor}; }
};

/// Groups the stages of a comm.json into chains, ordered by the start of their first stage. Their
/// steps are still unknown.
///
/// The stages of one key are taken in order of time. A new chain begins where a stage does not
/// come later in the pipeline than the one before it. Counting each stage's occurrences instead
/// would shift every later chain by one where a record is missing. A stage that is recorded twice
/// is used once and counted in `diagnostics`. O(events log events).
[[nodiscard]] std::vector<StageChain> stage_chains(const StageTrace& trace, Diagnostics& diagnostics);

}  // namespace stepsim::ingest

#endif
