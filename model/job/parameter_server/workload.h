#ifndef STEPSIM_MODEL_JOB_PARAMETER_SERVER_WORKLOAD_H
#define STEPSIM_MODEL_JOB_PARAMETER_SERVER_WORKLOAD_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/base/id.h"
#include "model/base/units.h"
#include "model/job/job.h"

/// How BytePS cuts tensors into partitions and spreads these over servers and their threads
/// (byteps/common/operations.cc and global.cc, byteps/server/server.h).
namespace stepsim {

/// The largest partition: job.partition_bytes (4,096,000 by default), rounded up to a multiple
/// of local_size pages of 4096 bytes unless job.exact; of those that fit into 64 bits, the largest.
[[nodiscard]] Bytes partition_bound(const Job& job);

/// ceil(tensor / bound), at least 1. Precondition: bound > 0.
[[nodiscard]] std::int64_t partition_count(Bytes tensor, Bytes bound) noexcept;

/// All partitions are as large as the bound but the last. Nothing for an index past the last one.
[[nodiscard]] std::optional<Bytes> partition_size(Bytes tensor, Bytes bound, std::int64_t index) noexcept;

/// Declared key of the tensor in the upper bits, index of the partition in the lower 16.
[[nodiscard]] constexpr std::int64_t partition_key(std::int64_t declared_key, std::int64_t index) noexcept {
  return declared_key * 65'536 + index;
}

/// The server that holds a key, by the rule that job.key_hash names (server_rules/); without a name
/// by the first of them. Nothing if job.servers is absent or the rule does not say. 0 where there is
/// one server.
[[nodiscard]] std::optional<std::uint32_t> server_of(std::int64_t key, const Job& job);

/// The engine thread of each key of one server: at its first push a key goes to the thread with
/// the fewest bytes so far, the first of equal ones, and stays. `first_pushes` holds the sizes
/// in the order of the first pushes. O(keys * threads).
[[nodiscard]] std::vector<std::uint32_t> engine_threads(const std::vector<Bytes>& first_pushes, std::uint32_t threads);

/// From when to when something ran, on the reference host's clock.
struct PsRun {
  Time start;
  Time finish;
};

/// One operator of a GPU's step. Indices are into PsGpu::operators and PsGpu::tensors.
struct PsOperator {
  std::string name;
  std::uint32_t row = 0;             ///< operators of one row run one after another, in the order of the list
  bool update = false;               ///< UPDATE, STEP and their kin: between a step's gradients and the next step
  Duration gap{};                    ///< host time between the end of the last thing it waits for and its start
  std::vector<PsRun> runs;           ///< by step, as PsWorkload::steps
  std::vector<std::uint32_t> after;  ///< operators of the same step that it waits for
  std::vector<std::uint32_t> after_previous;  ///< operators of the step before that it waits for
};

/// A tensor that is pushed and pulled, and the operators around it.
struct PsTensor {
  std::string name;
  std::int64_t declared_key = 0;         ///< the key of its first partition is declared_key << 16
  Bytes bytes{};                         ///< of the whole tensor
  std::vector<std::uint32_t> made_by;    ///< operators whose end releases it
  std::vector<std::uint32_t> needed_by;  ///< update operators of the same step that wait for it
  std::vector<std::uint32_t> used_by;    ///< operators of the next step that use what it updates: its layer's forward
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

/// One recorded stage of one partition: what calibration learns from.
struct PsStageRun {
  std::uint32_t gpu = 0;   ///< index into PsWorkload::gpus
  std::uint32_t step = 0;  ///< index into PsWorkload::steps
  std::int64_t key = 0;
  PsStage stage = PsStage::kPush;
  Bytes bytes{};  ///< of the partition
  PsRun run;
};

struct PsGpu {
  std::uint32_t worker = 0;
  std::uint32_t local_rank = 0;
  Rank rank = 0;
  std::string host;
  bool opaque = false;                ///< no operators were recorded: one segment up to each release of a tensor
  std::vector<PsOperator> operators;  ///< of one step, in the order in which they began
  std::vector<PsTensor> tensors;      ///< by declared key
  /// The operator whose start begins a step. What lies before the first release of an opaque
  /// step belongs to the step before as much.
  [[nodiscard]] std::size_t first() const noexcept { return opaque && operators.size() > 1 ? 1 : 0; }
};

/// A parameter-server job as a capture shows it, apart from what its network made of it: what
/// ran, what it took, which tensors came of it and who waits for them. Enough to build the
/// job's graph anew under other settings (build.h). Plain data, made by ingest.
struct PsWorkload {
  Job job;                          ///< job.yaml, completed by what the capture shows
  std::vector<std::int64_t> steps;  ///< numbers of the steps that every GPU recorded whole, ascending
  std::vector<PsGpu> gpus;          ///< by worker, then local rank
  std::vector<PsStageRun> stages;   ///< of those steps; by gpu, step, key, stage
  /// Not empty: what is missing to build the graph, as one sentence with what would help.
  std::string cannot_build;

  [[nodiscard]] std::uint32_t workers() const noexcept { return gpus.empty() ? 0 : gpus.back().worker + 1; }
};

/// Keeps the steps numbered `first` to `last`; with none left, cannot_build says so.
void keep_steps(PsWorkload& workload, std::int64_t first, std::int64_t last);

}  // namespace stepsim

#endif
