#include "ingest/stitch/parameter_server/parameter_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "ingest/stitch/parameter_server/recorded_gpu.h"
#include "ingest/stitch/parameter_server/tasks.h"

namespace stepsim::ingest {
namespace {

bool has_pushes(const RecordedGpu& gpu) {
  return std::any_of(gpu.chains.begin(), gpu.chains.end(),
                     [](const StageChain& chain) { return chain.find(Stage::kPush) != nullptr; });
}

void state_assumptions(const PsTasks& tasks) {
  Assumptions& assumptions = tasks.out.assumptions;
  if (std::any_of(tasks.gpus.begin(), tasks.gpus.end(), [](const RecordedGpu& gpu) { return gpu.opaque; })) {
    assumptions.push_back(
        {"opaque_compute",
         "No operators were recorded, so the work of a GPU between the releases of two gradients is one opaque task."});
  }
  if (std::none_of(tasks.gpus.begin(), tasks.gpus.end(), has_pushes)) return;
  assumptions.push_back(
      {"server_in_pull",
       "The time of copying and summing on servers is part of the recorded pulls, because no server was recorded."});
  if (tasks.job.servers.has_value() && !tasks.job.key_hash.has_value()) {
    assumptions.push_back(
        {"key_hash",
         "Keys are spread over servers by djb2, BytePS's default; if that is wrong, set key_hash in job.yaml."});
  }
  if (!tasks.job.control.has_value()) {
    assumptions.push_back(
        {"control_in_line",
         "Acknowledgements and pull requests queue behind bulk data, as in BytePS; if that is wrong, set "
         "control in job.yaml."});
  }
}

}  // namespace

void stitch_parameter_server(std::vector<GpuParts> gpus, const Job& job, Assembly& assembly) {
  gpus = split_merged_traces(std::move(gpus));
  std::stable_sort(gpus.begin(), gpus.end(), [](const GpuParts& a, const GpuParts& b) {
    return std::tuple{a.worker, a.local_rank} < std::tuple{b.worker, b.local_rank};
  });
  std::vector<RecordedGpu> recorded = arrange_gpus(gpus, job, assembly.diagnostics);
  const Job known = with_inferred_settings(job, recorded, assembly.assumptions);
  PsTasks tasks{known, assembly, std::move(recorded), {}, {}, {}, {}, {}, {}, {}};
  number_ranks(tasks.gpus, known);
  tasks.clocks = align_worker_clocks(tasks.gpus, known, assembly.diagnostics);
  add_operators(tasks);
  assembly.parameter_server = workload_of(tasks);
  add_stages(tasks);
  join_local_gpus(tasks);
  join_transfers(tasks);
  order_lanes(tasks);
  join_and_break_cycles(tasks);
  explain_polling(tasks);
  state_assumptions(tasks);
  for (const HostClock& clock : tasks.clocks) assembly.clocks.push_back(clock);
}

}  // namespace stepsim::ingest
