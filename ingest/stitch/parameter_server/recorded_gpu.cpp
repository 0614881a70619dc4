#include "ingest/stitch/parameter_server/recorded_gpu.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "ingest/parts/names.h"
#include "ingest/stitch/parameter_server/gpu_passes.h"
#include "model/job/parameter_server/workload.h"
#include "model/job/task_names.h"

namespace stepsim::ingest {
namespace {

/// Returns the stages in a merged trace: the events called "Comm.<tensor>.<STAGE>".
StageTrace stages_among_operators(const OperatorTrace& trace) {
  StageTrace stages;
  std::unordered_map<std::string, std::uint32_t> ids;
  for (const OperatorTrace::Event& event : trace.events) {
    if (!event.communication) continue;
    const StagedName name = split_stage(std::string_view(event.name).substr(kComm.size()));
    const auto key = partition_key(event.thread);
    const auto [slot, added] =
        ids.try_emplace(std::string(name.tensor), static_cast<std::uint32_t>(stages.tensors.size()));
    if (added) stages.tensors.emplace_back(name.tensor);
    const bool staged = name.stage != Stage::kTotal && key.has_value();
    stages.events.push_back(
        {slot->second, staged ? name.stage : Stage::kTotal, staged ? *key : -1, 0, event.start, event.duration});
  }
  return stages;
}

/// Adds the operators among a communication event's inputs to the producers of the tensor that the event moves.
void add_producers(RecordedGpu& gpu, const TensorNodes& nodes, const OperatorTrace::Event& event) {
  const StagedName name = split_stage(std::string_view(event.name).substr(kComm.size()));
  const auto tensor = nodes.find(gpu.names.intern(std::string(kComm) + std::string(name.tensor)));
  if (!tensor.has_value()) return;
  for (const std::string& input : event.inputs) {
    if (!input.starts_with(kComm)) gpu.tensors[*tensor].producers.push_back(gpu.names.intern(input));
  }
}

void add_operators(RecordedGpu& gpu, const TensorNodes& nodes, const OperatorTrace& trace) {
  std::map<std::pair<std::string, std::string>, std::uint32_t> rows;  // process, thread
  for (const OperatorTrace::Event& event : trace.events) {
    if (event.communication) {
      add_producers(gpu, nodes, event);
      continue;
    }
    const auto row =
        rows.try_emplace({event.process, event.thread}, static_cast<std::uint32_t>(rows.size())).first->second;
    OperatorRun run{gpu.names.intern(event.name), row, event.step, event.start, event.start + event.duration, {}};
    for (const std::string& input : event.inputs) run.inputs.push_back(gpu.names.intern(input));
    sort_unique(run.inputs);
    gpu.operators.push_back(std::move(run));
  }
  std::stable_sort(gpu.operators.begin(), gpu.operators.end(), [](const OperatorRun& a, const OperatorRun& b) {
    return std::tuple{a.start, a.finish} < std::tuple{b.start, b.finish};
  });
}

/// Returns the step numbers of gpu.operators, ascending.
std::vector<std::int64_t> step_numbers(const RecordedGpu& gpu) {
  std::set<std::int64_t> numbers;
  for (const OperatorRun& run : gpu.operators) {
    if (run.step >= 0) numbers.insert(run.step);
  }
  return {numbers.begin(), numbers.end()};
}

/// Builds one GPU. `numbers` are the job's step numbers, ascending, from GPUs with operators; empty if there are none.
/// In a GPU without operators, the k-th occurrence of a partition belongs to the k-th of these steps.
RecordedGpu arrange_gpu(const GpuParts& parts, Barrier barrier, const std::vector<std::int64_t>& numbers,
                        Diagnostics& diagnostics) {
  RecordedGpu gpu;
  gpu.worker = parts.worker;
  gpu.local_rank = parts.local_rank;
  gpu.host = parts.host;
  const StageTrace merged = parts.stages.has_value() ? StageTrace{} : stages_among_operators(*parts.operators);
  const StageTrace& stages = parts.stages.has_value() ? *parts.stages : merged;
  add_tensors(gpu, stages, parts.tensors.has_value() ? &*parts.tensors : nullptr);
  const TensorNodes nodes(gpu);
  gpu.chains = stage_chains(stages, diagnostics);
  if (parts.operators.has_value()) add_operators(gpu, nodes, *parts.operators);
  gpu.opaque = gpu.operators.empty();
  if (gpu.opaque) {
    number_chains_by_occurrence(gpu, numbers, parts.folder, diagnostics);
    add_opaque_segments(gpu, stages, barrier);
  } else {
    number_operators(gpu, diagnostics);
    find_tensor_uses(gpu, nodes, parts.graph.has_value() ? &*parts.graph : nullptr, barrier);
    number_chains_by_producer(gpu, parts.folder, diagnostics);
  }
  return gpu;
}

}  // namespace

bool is_update(std::string_view operator_name) noexcept {
  return operator_name.starts_with("UPDATE") || operator_name == "STEP" || operator_name.starts_with("STEP.");
}

std::optional<Bytes> partition_bytes(const RecordedTensor& tensor, std::int64_t key, const Job& job) {
  if (!tensor.bytes.has_value() || key < 0) return tensor.bytes;
  return partition_size(*tensor.bytes, partition_bound(job), key & 0xFFFF);
}

void sort_unique(std::vector<TextId>& names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
}

// GPUs with operators are processed first, because only their events give the steps' numbers.
std::vector<RecordedGpu> arrange_gpus(const std::vector<GpuParts>& parts, const Job& job, Diagnostics& diagnostics) {
  const Barrier barrier = job.barrier.value_or(Barrier::kGlobal);
  std::vector<RecordedGpu> gpus(parts.size());
  std::vector<std::int64_t> numbers;
  for (const bool with_operators : {true, false}) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (parts[i].operators.has_value() != with_operators) continue;
      gpus[i] = arrange_gpu(parts[i], barrier, numbers, diagnostics);
      if (numbers.empty() && !gpus[i].opaque) numbers = step_numbers(gpus[i]);
    }
  }
  return gpus;
}

void number_ranks(std::vector<RecordedGpu>& gpus, const Job& job) {
  std::uint32_t local_size = job.local_size.value_or(1);
  for (const RecordedGpu& gpu : gpus) local_size = std::max(local_size, gpu.local_rank + 1);
  for (RecordedGpu& gpu : gpus) gpu.rank = static_cast<Rank>(std::uint64_t{gpu.worker} * local_size + gpu.local_rank);
}

}  // namespace stepsim::ingest
