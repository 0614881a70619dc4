#ifndef STEPSIM_INGEST_STITCH_TRIAL_ROUNDS_H
#define STEPSIM_INGEST_STITCH_TRIAL_ROUNDS_H

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ingest/stitch/parameter_server/recorded_gpu.h"
#include "ingest/stitch/parameter_server/tasks.h"
#include "model/base/assumption.h"
#include "model/base/diagnostics.h"
#include "model/job/recording.h"

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
  std::vector<std::uint32_t> tensors;  ///< indices into GpuRounds::stages.tensors, in natural order of their names
  std::string group;                   ///< "1+2": their names
  std::vector<Phase> phases;           ///< by part, then start; of each name one
  std::vector<ChunkEvent> chunks;      ///< by start
  Time begin;                          ///< when this rank was ready for it
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

/// Which rank sends to which in each channel of NCCL's rings. Ranks are places in the job's list of GPUs.
class Rings {
 public:
  /// Puts together what the GPUs' nccl_rank_graph.json say. A channel whose hops are no ring over all GPUs is counted
  /// as broken_ring; it, and a channel of which no file speaks, is taken as the ring in the order of the ranks, which
  /// the assumptions state. O(hops log hops).
  Rings(const std::vector<GpuParts>& gpus, Diagnostics& diagnostics, Assumptions& assumptions);

  /// The rank that sends to `rank` in a channel.
  [[nodiscard]] std::size_t sender_to(std::size_t rank, std::int32_t channel) const;
  /// Trees were described and no ring: who sends to whom is not known.
  [[nodiscard]] bool unknown() const noexcept { return unknown_; }

 private:
  std::size_t ranks_;
  std::map<std::int32_t, std::vector<std::size_t>> senders_;  // by channel, then receiver
  bool unknown_ = false;
};

/// Returns the clock of each worker, by worker, against that of the first GPU's worker: the median, over the rounds
/// that both had in the same step, of how much later the worker saw all ranks agree (Sync, else NEGOTIATE), which
/// happens everywhere at once; where nobody recorded that, of the rounds' ends. A worker's GPUs share one clock: their
/// mean counts.
///
/// No rank sees the agreement before another is ready for it. `residual` is how far these bounds allow the offset to be
/// off, `spread` the largest difference of a round from the median. A worker that shares no round with that one keeps
/// offset 0 and is counted. `rounds` is by GPU, as `gpus`. O(rounds log rounds).
[[nodiscard]] std::vector<HostClock> align_by_rounds(const std::vector<RecordedGpu>& gpus,
                                                     const std::vector<GpuRounds>& rounds, Diagnostics& diagnostics);

/// Adds the tasks of all rounds that have a step, and their edges. `rounds` is by GPU, as tasks.gpus; add_operators()
/// has run.
///
/// On each rank a round is its agreement, what comes before the transfer, the transfer, and the copy out of the fusion
/// buffer, each after the one before. The operators that make its tensors come before it, those that use them after.
/// The ranks' agreements, and transfers of which no chunks are known, are meetings: none ends before all have begun.
///
/// Of chunks, what a rank receives comes after what its sender in the ring sent, and what it sends in one step of the
/// ring after what it received in the step before. Where no two chunks of a rank overlap, or no two of one direction,
/// they took turns, in the recorded order. What was recorded to begin before that which it waits for had ended, was
/// waiting until then.
void add_rounds(PsTasks& tasks, const std::vector<GpuRounds>& rounds, const Rings& rings);

}  // namespace stepsim::ingest

#endif
