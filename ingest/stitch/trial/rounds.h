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

/// The part of a tensor's reduction that a phase of Horovod belongs to.
enum class RoundPart : std::uint8_t {
  kAgreement,  ///< Sync, NEGOTIATE_*: waits until all ranks are ready
  kQueue,      ///< QUEUE, WAIT_FOR_DATA, INIT_*
  kOthers,     ///< WAIT_FOR_OTHER_TENSOR_DATA
  kCopyIn,     ///< MEMCPY_IN_FUSION_BUFFER
  kTransfer,   ///< NCCL_ALLREDUCE, MPI_BCAST and all other names
  kCopyOut,    ///< MEMCPY_OUT_FUSION_BUFFER
};

/// One reduction or broadcast on one rank, of one tensor or of several fused ones.
struct Round {
  struct Phase {
    std::string name;
    RoundPart part = RoundPart::kTransfer;
    Time start;
    Time finish;
  };
  std::vector<std::uint32_t> tensors;  ///< indices into GpuRounds::stages.tensors, by natural order of names
  std::string group;                   ///< the tensors' names, joined: "1+2"
  std::vector<Phase> phases;           ///< by part, then start; one per name
  std::vector<ChunkEvent> chunks;      ///< by start
  Time begin;                          ///< when this rank was ready for the round
  Time end;
  std::int64_t step = kNoStep;
  std::vector<std::size_t> chains;  ///< chains of its tensors, as indices into RecordedGpu::chains; set by find_steps()

  [[nodiscard]] const Phase* find(RoundPart part) const noexcept;
};

/// The rounds of one GPU.
struct GpuRounds {
  std::vector<Round> rounds;                ///< by begin
  StageTrace stages;                        ///< each tensor's part in each round as a stage kTotal, for arrange_gpus()
  std::vector<std::optional<Bytes>> bytes;  ///< by tensor
};

/// Divides the recordings of Horovod and NCCL on a GPU into rounds. A new round of a tensor begins at a phase that
/// belongs to an earlier part (RoundPart) than the phase before it, or that repeats a phase of the round. Tensors were
/// fused if their Sync began at the same instant, or if NCCL's chunks name them together. A chunk belongs to the last
/// round of its tensor that began before it. NEGOTIATE phases are left out and counted if Sync was recorded too, and so
/// are chunks outside all rounds. O(events log events).
[[nodiscard]] GpuRounds rounds_of(const GpuParts& parts, Diagnostics& diagnostics);

/// Sets the rounds' steps to those of the chains that arrange_gpus() made from GpuRounds::stages. Removes rounds
/// without a step.
void find_steps(GpuRounds& rounds, const RecordedGpu& gpu);

/// The sender and receiver pairs in each channel of NCCL's rings. Ranks are indices into the job's list of GPUs.
class Rings {
 public:
  /// Merges the GPUs' nccl_rank_graph.json files. A channel whose hops do not form one ring over all GPUs is counted as
  /// broken_ring. For such a channel, and for one that no file describes, the ring is assumed to follow the order of
  /// the ranks. If no channel has a known ring, `assumptions` gets an entry, unless there is only one GPU or the files
  /// describe only trees (unknown()). O(hops log hops).
  Rings(const std::vector<GpuParts>& gpus, Diagnostics& diagnostics, Assumptions& assumptions);

  /// Returns the rank that sends to `rank` in a channel.
  [[nodiscard]] std::size_t sender_to(std::size_t rank, std::int32_t channel) const;
  /// Returns true if the files describe trees but no ring, so that the senders are unknown.
  [[nodiscard]] bool unknown() const noexcept { return unknown_; }

 private:
  std::size_t ranks_;
  std::map<std::int32_t, std::vector<std::size_t>> senders_;  // sender, by channel, then receiver
  bool unknown_ = false;
};

/// Returns each worker's clock, relative to that of the first GPU's worker. All ranks see the end of an agreement
/// (Sync, else NEGOTIATE) at the same time. The offset is how much later the worker saw the agreement than the first
/// worker, each on its own clock: the median over the rounds that both workers had in the same step. If agreements were
/// not recorded, the ends of rounds are compared. A worker's GPUs share one clock, so the mean of their times is used.
///
/// No rank sees the agreement before every rank is ready for it; this bounds the offset. `residual` is the largest
/// error of the offset that the bounds allow, and `spread` the largest distance of a round from the median. A worker
/// that shares no round with the first one gets offset 0 and is counted. `rounds` and `gpus` have the same order.
/// O(rounds log rounds).
[[nodiscard]] std::vector<HostClock> align_by_rounds(const std::vector<RecordedGpu>& gpus,
                                                     const std::vector<GpuRounds>& rounds, Diagnostics& diagnostics);

/// Adds the tasks of all rounds that have a step, and their edges. `rounds` has the order of tasks.gpus. Call it after
/// add_operators().
///
/// On each rank a round consists of its agreement, the phases before the transfer, the transfer, and the copy out of
/// the fusion buffer, one after another. It waits for the operators that produce its tensors, and the operators that
/// use them wait for it. The ranks' agreements are meetings, and so are transfers without recorded chunks: none of them
/// ends before all have begun.
///
/// A received chunk waits for the same chunk on its sender in the ring. A chunk sent in one step of the ring waits for
/// the chunk received in the step before. If no two chunks of a rank overlap, they run one after another in the
/// recorded order. Otherwise its sent chunks and its received chunks are ordered separately, each only if no two of
/// them overlap. If a task was recorded to begin before its predecessor ended, it was waiting until then, and its
/// duration begins there.
void add_rounds(PsTasks& tasks, const std::vector<GpuRounds>& rounds, const Rings& rings);

}  // namespace stepsim::ingest

#endif
