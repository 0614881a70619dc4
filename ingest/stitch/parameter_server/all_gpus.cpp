#include "ingest/stitch/parameter_server/all_gpus.h"

#include <algorithm>
#include <cstdint>

#include "ingest/stitch/parameter_server/step_numbers.h"

namespace stepsim::ingest {

// GPUs with operators come first, because only their events say what the steps' numbers are.
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
