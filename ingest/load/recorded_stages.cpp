#include "ingest/load/recorded_stages.h"

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "ingest/stitch/parameter_server/recorded_gpu.h"
#include "model/base/text.h"

namespace stepsim::ingest {
namespace {

using FolderOrder = bool (*)(std::string_view, std::string_view) noexcept;
using Gpus = std::map<std::string, GpuParts, FolderOrder>;

/// True for parts that occur only in trials, where merged traces are derived from the other files (job_parts.cpp).
bool is_part_of_trial(const Part& part) {
  return std::holds_alternative<TensorflowTrace>(part) || std::holds_alternative<HorovodTrace>(part) ||
         std::holds_alternative<ChunkTrace>(part);
}

/// True if the part has events of a GPU. A folder with only io.json (loading of batches) is not a GPU.
bool has_events(const Part& part, std::string_view file) {
  const bool loads_batches = file_name_of(file).starts_with("io.json");
  return std::holds_alternative<StageTrace>(part) || (std::holds_alternative<OperatorTrace>(part) && !loads_batches);
}

}  // namespace

std::vector<RecordedStages> recorded_stages(const ReadInputs& read) {
  std::map<std::string, Gpus, FolderOrder> workers(&natural_less);
  for (const ReadInput& input : read.inputs) {
    for (const auto& [part, of] : input.sink.parts) {
      if (is_part_of_trial(part)) return {};
      if (!has_events(part, input.name)) continue;
      Gpus& gpus =
          workers.try_emplace(of.empty() ? input.worker_folder : input.gpu_folder, Gpus(&natural_less)).first->second;
      GpuParts& gpu = gpus[of.empty() ? input.gpu_folder : input.gpu_folder + '/' + of];
      if (const auto* const stages = std::get_if<StageTrace>(&part)) gpu.stages = *stages;
    }
  }
  std::vector<GpuParts> gpus;
  std::uint32_t worker = 0;
  for (auto& [folder, of_worker] : workers) {
    std::uint32_t local_rank = 0;
    for (auto& [gpu_folder, gpu] : of_worker) {
      gpu.worker = worker;
      gpu.local_rank = local_rank++;
      gpus.push_back(std::move(gpu));
    }
    ++worker;
  }
  std::vector<RecordedStages> recorded;
  Rank rank = 0;
  for (GpuParts& gpu : split_merged_traces(std::move(gpus))) {
    if (!gpu.stages) return {};
    recorded.push_back({gpu.worker, gpu.local_rank, rank++, std::move(*gpu.stages)});
  }
  return recorded;
}

}  // namespace stepsim::ingest
