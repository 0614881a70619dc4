#ifndef STEPSIM_INGEST_STITCH_PARAMETER_SERVER_RECORDED_GPU_H
#define STEPSIM_INGEST_STITCH_PARAMETER_SERVER_RECORDED_GPU_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/parts/part.h"
#include "ingest/parts/text_table.h"
#include "model/base/diagnostics.h"
#include "model/base/id.h"
#include "model/job/job.h"

namespace stepsim::ingest {

/// The contents of one GPU folder of a BytePS job or of a dPRO trial. Only the folder names, <trial>/<worker>/<gpu>/,
/// identify the worker and the GPU.
struct GpuParts {
  std::uint32_t worker = 0;      ///< counted over the worker folders in natural order
  std::uint32_t local_rank = 0;  ///< counted over the GPU folders of the worker
  std::string host;              ///< the worker folder's name
  std::string folder;            ///< path of the GPU folder, for messages
  std::optional<StageTrace> stages;
  std::optional<OperatorTrace> operators;
  std::optional<OperatorGraph> graph;
  std::optional<TensorTable> tensors;
  // The members below are used only for trials and for Horovod's timelines.
  std::optional<TensorflowTrace> tensorflow;
  std::optional<OperatorMetadata> metadata;
  std::optional<TensorTable> tensor_ids;  ///< gradient_name2ID.json, if gradient_name_list.json is missing
  std::optional<OperatorTrace> inputs;    ///< io.json: the loading of batches
  std::optional<HorovodTrace> horovod;
  std::optional<ChunkTrace> chunks;
  std::optional<RankGraph> rank_graph;
};

/// Splits files into which the traces of several GPUs were merged. If events name more than one process ("rank<r>",
/// "wk<i>.rank<r>" or "<host>.rank<r>"; in a merged comm.json, more than one pid), each process becomes a GPU. Events
/// without a process go to the first one. Workers are then renumbered, by folder and then by the prefix before
/// ".rank<r>", and GPUs by rank.
///
/// Files with one process are left as they are, and so are files with more than 256 processes, whose pids mean
/// something else.
[[nodiscard]] std::vector<GpuParts> split_merged_traces(std::vector<GpuParts> gpus);

/// The number of an unknown step. Recorded steps have numbers from 0.
inline constexpr std::int64_t kNoStep = -1;

/// One stage of one partition, as recorded.
struct StageSpan {
  Stage stage = Stage::kTotal;
  Time start;
  Time finish;
};

/// The stages that a partition of a tensor went through in one step on one GPU. If only the total of a tensor was
/// recorded, the tensor counts as one partition with the single stage kTotal.
struct StageChain {
  std::uint32_t tensor = 0;       ///< index into StageTrace::tensors, which is also RecordedGpu::tensors
  std::int64_t key = 0;           ///< key of the partition; negative for a whole tensor
  std::uint32_t occurrence = 0;   ///< how many chains of this key came before
  std::int64_t step = kNoStep;    ///< the step's number
  std::vector<StageSpan> stages;  ///< by start; never empty

  /// Returns the stage, or null if it was not recorded.
  [[nodiscard]] const StageSpan* find(Stage stage) const noexcept;
  /// Returns the key under which the tensor was declared; negative for a whole tensor.
  [[nodiscard]] std::int64_t declared_key() const noexcept { return key >> 16; }
  /// Returns the partition's index within its tensor. Precondition: it is not a whole tensor.
  [[nodiscard]] std::int64_t partition() const noexcept { return key & 0xFFFF; }
  /// Returns the key that stands for a whole tensor. No partition has such a key.
  [[nodiscard]] static std::int64_t key_of_whole(std::uint32_t tensor) noexcept { return -2 - std::int64_t{tensor}; }
};

/// One run of an operator. Names are ids of RecordedGpu::names.
struct OperatorRun {
  TextId name;
  std::uint32_t row = 0;        ///< operators of one row ran one after another
  std::int64_t step = kNoStep;  ///< the step's number
  Time start;
  Time finish;
  std::vector<TextId> inputs;  ///< operators and "Comm.<tensor>" that it waits for; ascending, each once
};

/// A tensor that the job communicates, and the operators before and after its communication.
struct RecordedTensor {
  std::string name;  ///< name in gradient_name_list, else as recorded
  std::optional<Bytes> bytes;
  TextId node;                    ///< "Comm.<name>" in RecordedGpu::names
  std::vector<TextId> producers;  ///< operators whose end releases it for communication; ascending
  std::vector<TextId> consumers;  ///< operators that wait until it has been communicated; ascending
};

/// The recording of one GPU of the job: operators and stage chains by step, and the dependencies between them by name.
/// Times are on the worker's own clock.
struct RecordedGpu {
  std::uint32_t worker = 0;
  std::uint32_t local_rank = 0;
  Rank rank = 0;
  std::string host;
  bool opaque = false;                 ///< no operators were recorded; segments between releases replace them
  TextTable names;                     ///< names of operators and of "Comm.<tensor>" nodes
  std::vector<OperatorRun> operators;  ///< by start
  std::vector<RecordedTensor> tensors;
  std::vector<StageChain> chains;  ///< by start of their first stage; each has a step

  [[nodiscard]] const std::string& name(const OperatorRun& run) const noexcept { return names.text(run.name); }
};

/// Returns true for UPDATE, STEP and similar operators, which run between a step's gradients and the next step.
[[nodiscard]] bool is_update(std::string_view operator_name) noexcept;

/// Returns the bytes of the partition `key` of `tensor`, for the job's partition size; for a whole tensor, its own
/// bytes. Returns nothing if the tensor's size is unknown or it has no such partition.
[[nodiscard]] std::optional<Bytes> partition_bytes(const RecordedTensor& tensor, std::int64_t key, const Job& job);

/// Sorts names and removes duplicates.
void sort_unique(std::vector<TextId>& names);

/// Arranges the files of each GPU, in the order of `parts`. GPUs without operators take their step numbers from GPUs
/// that have some. Precondition: each of `parts` has stages or operators.
[[nodiscard]] std::vector<RecordedGpu> arrange_gpus(const std::vector<GpuParts>& parts, const Job& job,
                                                    Diagnostics& diagnostics);

/// Numbers the ranks: each worker gets `job.local_size` numbers, or as many as the largest worker has GPUs if that is
/// more.
void number_ranks(std::vector<RecordedGpu>& gpus, const Job& job);

}  // namespace stepsim::ingest

#endif
