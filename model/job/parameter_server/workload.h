#ifndef STEPSIM_MODEL_JOB_PARAMETER_SERVER_WORKLOAD_H
#define STEPSIM_MODEL_JOB_PARAMETER_SERVER_WORKLOAD_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/base/id.h"
#include "model/base/units.h"
#include "model/job/job.h"

/// How BytePS divides tensors into partitions and distributes the partitions over servers and their threads
/// (byteps/common/operations.cc and global.cc, byteps/server/server.h).
namespace stepsim {

/// Returns the maximum partition size: job.partition_bytes (4,096,000 by default), rounded up to a multiple of
/// local_size pages of 4096 bytes unless job.exact. Limited to the largest such multiple that fits into 64 bits.
[[nodiscard]] Bytes partition_bound(const Job& job);

/// Returns ceil(tensor / bound), at least 1. Precondition: bound > 0.
[[nodiscard]] std::int64_t partition_count(Bytes tensor, Bytes bound) noexcept;

/// Returns the size of a partition. All partitions but the last are as large as the bound. Returns nothing for an index
/// past the last.
[[nodiscard]] std::optional<Bytes> partition_size(Bytes tensor, Bytes bound, std::int64_t index) noexcept;

/// Returns the declared key of the tensor in the upper bits and the index of the partition in the lower 16 bits.
[[nodiscard]] constexpr std::int64_t partition_key(std::int64_t declared_key, std::int64_t index) noexcept {
  return declared_key * 65'536 + index;
}

/// Returns the server of a key, by the rule named in job.key_hash (server_rules.cpp) or by the first rule if none is
/// named. Returns 0 if there is one server, and nothing if job.servers is absent or the rule gives no answer.
[[nodiscard]] std::optional<std::uint32_t> server_of(std::int64_t key, const Job& job);

/// Returns the engine thread of each key of one server. At its first push a key is assigned to the thread with the
/// fewest bytes so far (the first one if several have the fewest) and stays there. `first_pushes` lists the sizes in
/// order of the first pushes. O(keys * threads).
[[nodiscard]] std::vector<std::uint32_t> engine_threads(const std::vector<Bytes>& first_pushes, std::uint32_t threads);

/// Start and end of something that ran, on the reference host's clock.
struct PsRun {
  Time start;
  Time finish;
};

/// One operator of a GPU's step. Indices are into PsGpu::operators and PsGpu::tensors.
struct PsOperator {
  std::string name;
  std::uint32_t row = 0;  ///< operators in the same row run one after another, in the order of the list
  /// True for UPDATE, STEP and similar operators, which run between a step's gradients and the next step.
  bool update = false;
  Duration gap{};                             ///< host time between the end of the last task it waits for and its start
  std::vector<PsRun> runs;                    ///< indexed like PsWorkload::steps
  std::vector<std::uint32_t> after;           ///< operators of the same step that it waits for
  std::vector<std::uint32_t> after_previous;  ///< operators of the previous step that it waits for
};

/// A tensor that is pushed and pulled, and the operators that produce and use it.
struct PsTensor {
  std::string name;
  std::int64_t declared_key = 0;         ///< the key of its first partition is declared_key << 16
  Bytes bytes{};                         ///< size of the whole tensor
  std::vector<std::uint32_t> made_by;    ///< operators that must end before it is pushed
  std::vector<std::uint32_t> needed_by;  ///< update operators of the same step that wait for it
  std::vector<std::uint32_t> used_by;    ///< operators of the next step that use it: the forward pass of its layer
};

/// The stages of a partition, in pipeline order (BytePS's QueueType).
enum class PsStage : std::uint8_t {
  kCoordinateReduce,
  kReduce,
  kCopyToHost,
  kCoordinatePush,
  kPush,
  kPull,
  kCopyToDevice,
  kCoordinateBroadcast,
  kBroadcast,
};
inline constexpr std::size_t kPsStages = 9;

/// One recorded stage of one partition, used for calibration.
struct PsStageRun {
  std::uint32_t gpu = 0;   ///< index into PsWorkload::gpus
  std::uint32_t step = 0;  ///< index into PsWorkload::steps
  std::int64_t key = 0;
  PsStage stage = PsStage::kPush;
  Bytes bytes{};  ///< size of the partition
  PsRun run;
};

struct PsGpu {
  std::uint32_t worker = 0;
  std::uint32_t local_rank = 0;
  Rank rank = 0;
  std::string host;
  /// True if no operators were recorded. The time of a step is then divided at the moments at which a tensor is
  /// released for communication, and each segment counts as one operator.
  bool opaque = false;
  std::vector<PsOperator> operators;  ///< operators of one step, ordered by their start
  std::vector<PsTensor> tensors;      ///< ordered by declared key
  /// Returns the index of the operator whose start begins a step. If `opaque`, this is the second segment. The first
  /// segment, up to the first release of a tensor, could equally be counted as part of the previous step.
  [[nodiscard]] std::size_t first() const noexcept { return opaque && operators.size() > 1 ? 1 : 0; }
};

/// A parameter-server job as captured, without the effects of its network: the operators that ran, their durations, the
/// tensors they produced and the operators that wait for these. This is enough to rebuild the job's graph with other
/// settings (build.h). Plain data, created by ingest.
struct PsWorkload {
  Job job;                          ///< job.yaml, completed from the capture
  std::vector<std::int64_t> steps;  ///< numbers of the steps that every GPU recorded completely, ascending
  std::vector<PsGpu> gpus;          ///< ordered by worker, then local rank
  std::vector<PsStageRun> stages;   ///< recorded stages of `steps`, ordered by gpu, step, key, stage
  /// Why the graph cannot be built: one sentence with what is missing and what would help. Empty if it can be built.
  std::string cannot_build;

  [[nodiscard]] std::uint32_t workers() const noexcept { return gpus.empty() ? 0 : gpus.back().worker + 1; }
};

/// Keeps the steps with numbers from `first` to `last`. If none is left, sets cannot_build.
void keep_steps(PsWorkload& workload, std::int64_t first, std::int64_t last);

}  // namespace stepsim

#endif
