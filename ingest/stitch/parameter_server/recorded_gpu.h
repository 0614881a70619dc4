#ifndef STEPSIM_INGEST_STITCH_PARAMETER_SERVER_RECORDED_GPU_H
#define STEPSIM_INGEST_STITCH_PARAMETER_SERVER_RECORDED_GPU_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/parts/part.h"
#include "ingest/stitch/parameter_server/parameter_server.h"
#include "model/base/diagnostics.h"
#include "model/base/id.h"

namespace stepsim::ingest {

/// One stage of one partition as it was recorded.
struct StageSpan {
  Stage stage = Stage::kTotal;
  Time start;
  Time finish;
};

/// A partition's way through the stages in one step on one GPU. A tensor of which only the
/// total was recorded is one partition with the one stage kTotal.
struct Chain {
  std::uint32_t tensor = 0;  ///< index into GpuPlan::tensors
  std::int64_t key = 0;
  std::uint32_t occurrence = 0;   ///< how many chains of this key came before
  std::int64_t step = kNoStep;    ///< the step's number
  std::vector<StageSpan> stages;  ///< in order of time; never empty
  static constexpr std::int64_t kNoStep = -1;
  /// The key of a whole tensor: no partition has it.
  [[nodiscard]] static std::int64_t key_of_whole(std::uint32_t tensor) noexcept { return -2 - std::int64_t{tensor}; }
};

/// An operator's run. Names are indices into GpuPlan::names.
struct OperatorSpan {
  std::uint32_t name = 0;
  std::uint32_t row = 0;  ///< operators of one row ran one after another
  std::int64_t step = Chain::kNoStep;
  Time start;
  Time finish;
  std::vector<std::uint32_t> inputs;  ///< names of what it waits for: operators and "Comm.<tensor>"; each once
};

/// A tensor and the operators around it.
struct TensorPlan {
  std::string name;  ///< as the gradient list calls it, else as recorded
  std::optional<Bytes> bytes;
  std::uint32_t node = 0;                ///< "Comm.<name>" in GpuPlan::names
  std::vector<std::uint32_t> producers;  ///< names of operators whose end releases it
  std::vector<std::uint32_t> consumers;  ///< names of operators that wait for it
};

/// One GPU of the job, sorted out: what ran in which step, and what waits for what by name.
struct GpuPlan {
  std::uint32_t worker = 0;
  std::uint32_t local_rank = 0;
  Rank rank = 0;
  std::string host;
  bool opaque = false;                  ///< without operators: segments between releases stand for them
  std::vector<std::string> names;       ///< of operators and of Comm nodes
  std::vector<OperatorSpan> operators;  ///< by start
  std::vector<TensorPlan> tensors;
  std::vector<Chain> chains;  ///< by start of their first stage
};

/// Sorts out the parts of one GPU. `number_of` are the steps' numbers as other GPUs of the job
/// name them, in order: a GPU without operators takes them by occurrence; empty if unknown.
/// Precondition: the parts hold stages or operators.
[[nodiscard]] GpuPlan plan_gpu(const GpuParts& parts, Barrier barrier, const std::vector<std::int64_t>& number_of,
                               Diagnostics& diagnostics);

/// The chains of a comm.json: the stages of one key in order of time begin a new chain where
/// the pipeline's order goes back. (Occurrences are not counted a stage: a record that is
/// missing would shift all that follow.) O(events log events).
[[nodiscard]] std::vector<Chain> chains_of(const StageTrace& trace, Diagnostics& diagnostics);

/// The numbers of the steps of a plan's operators, ascending.
[[nodiscard]] std::vector<std::int64_t> step_numbers(const GpuPlan& plan);

/// UPDATE, STEP and their kin: what stands between a step's gradients and the next step.
[[nodiscard]] bool is_update(std::string_view operator_name) noexcept;

}  // namespace stepsim::ingest

#endif
