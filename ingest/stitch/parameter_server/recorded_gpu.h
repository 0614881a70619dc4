#ifndef STEPSIM_INGEST_STITCH_PARAMETER_SERVER_RECORDED_GPU_H
#define STEPSIM_INGEST_STITCH_PARAMETER_SERVER_RECORDED_GPU_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/parts/part.h"
#include "ingest/parts/text_table.h"
#include "ingest/stitch/parameter_server/gpu_parts.h"
#include "ingest/stitch/parameter_server/stage_chains.h"
#include "model/base/diagnostics.h"
#include "model/base/id.h"
#include "model/job/job.h"

namespace stepsim::ingest {

/// One run of an operator. Names are ids of RecordedGpu::names.
struct OperatorRun {
  TextId name;
  std::uint32_t row = 0;        ///< operators of one row ran one after another
  std::int64_t step = kNoStep;  ///< the step's number
  Time start;
  Time finish;
  std::vector<TextId> inputs;  ///< what it waits for: operators and "Comm.<tensor>"; ascending, each once
};

/// A tensor that the job communicates, and the operators before and after that.
struct RecordedTensor {
  std::string name;  ///< as gradient_name_list calls it, else as recorded
  std::optional<Bytes> bytes;
  TextId node;                    ///< "Comm.<name>" in RecordedGpu::names
  std::vector<TextId> producers;  ///< operators whose end releases it for communication; ascending
  std::vector<TextId> consumers;  ///< operators that wait until it has been communicated; ascending
};

/// What one GPU of the job did: operators and stage chains by step, and which of them wait for
/// which, by name. Times are on the worker's own clock.
struct RecordedGpu {
  std::uint32_t worker = 0;
  std::uint32_t local_rank = 0;
  Rank rank = 0;
  std::string host;
  bool opaque = false;                 ///< no operators were recorded: segments between releases stand for them
  TextTable names;                     ///< of operators and of "Comm.<tensor>" nodes
  std::vector<OperatorRun> operators;  ///< by start
  std::vector<RecordedTensor> tensors;
  std::vector<StageChain> chains;  ///< by start of their first stage; each has a step

  [[nodiscard]] const std::string& name(const OperatorRun& run) const noexcept { return names.text(run.name); }
};

/// Arranges what the files of one GPU hold. `numbers` are the numbers of the job's steps,
/// ascending, as GPUs with operators name them: a GPU without operators takes the k-th
/// occurrence of a partition for the k-th of these steps. Empty if no GPU has operators.
/// Precondition: `parts` hold stages or operators. O(events log events).
[[nodiscard]] RecordedGpu arrange_gpu(const GpuParts& parts, Barrier barrier, const std::vector<std::int64_t>& numbers,
                                      Diagnostics& diagnostics);

/// True for UPDATE, STEP and similar operators, which lie between a step's gradients and the next step.
[[nodiscard]] bool is_update(std::string_view operator_name) noexcept;

/// Bytes of the partition `key` of `tensor`, by the size of the job's partitions; of a whole tensor
/// its own bytes. Nothing if the tensor's size is unknown or it has no such partition.
[[nodiscard]] std::optional<Bytes> partition_bytes(const RecordedTensor& tensor, std::int64_t key, const Job& job);

/// Sorts names and leaves each in once.
void sort_unique(std::vector<TextId>& names);

}  // namespace stepsim::ingest

#endif
