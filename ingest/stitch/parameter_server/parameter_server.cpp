#include "ingest/stitch/parameter_server/parameter_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "ingest/stitch/parameter_server/recorded_gpu.h"
#include "ingest/stitch/parameter_server/tasks.h"
#include "model/job/parameter_server/workload.h"

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

namespace {

constexpr std::uint32_t kMostServers = 64;
/// If control messages have priority, an acknowledgement may overtake another one by up to this time.
constexpr Duration kOvertaking{2'000'000};
/// The share of pushes that may be out of order even with the right number of servers.
constexpr double kOutOfOrderShare = 0.02;

struct Push {
  Time handed_over;
  Time acknowledged;
  std::int64_t key = 0;
};

std::vector<std::vector<Push>> pushes_of(const std::vector<RecordedGpu>& gpus) {
  std::vector<std::vector<Push>> pushes(gpus.size());
  for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu) {
    for (const StageChain& chain : gpus[gpu].chains) {
      for (const StageSpan& span : chain.stages) {
        if (span.stage == Stage::kPush) pushes[gpu].push_back({span.start, span.finish, chain.key});
      }
    }
    std::stable_sort(pushes[gpu].begin(), pushes[gpu].end(),
                     [](const Push& a, const Push& b) { return a.handed_over < b.handed_over; });
  }
  return pushes;
}

/// Returns true if the acknowledgements on each connection are in the order of the pushes, apart from a few exceptions.
bool connections_keep_order(const std::vector<std::vector<Push>>& pushes, const Job& job) {
  double allowed = 0;
  for (const std::vector<Push>& of_gpu : pushes) allowed += kOutOfOrderShare * static_cast<double>(of_gpu.size());
  for (const std::vector<Push>& of_gpu : pushes) {
    std::map<std::uint32_t, Time> latest;
    for (const Push& push : of_gpu) {
      Time& before = latest.try_emplace(server_of(push.key, job).value_or(0), push.acknowledged).first->second;
      if (push.acknowledged + kOvertaking < before) --allowed;
      if (allowed < 0) return false;
      before = std::max(before, push.acknowledged);
    }
  }
  return true;
}

}  // namespace

Job with_inferred_settings(const Job& given, const std::vector<RecordedGpu>& gpus, Assumptions& assumptions) {
  Job job = given;
  if (!job.local_size.has_value()) {
    job.local_size = 1;
    for (const RecordedGpu& gpu : gpus) job.local_size = std::max(*job.local_size, gpu.local_rank + 1);
  }
  if (job.servers.has_value()) return job;
  const std::vector<std::vector<Push>> pushes = pushes_of(gpus);
  if (std::all_of(pushes.begin(), pushes.end(), [](const std::vector<Push>& of_gpu) { return of_gpu.empty(); }))
    return job;
  for (std::uint32_t servers = 1; servers <= kMostServers; ++servers) {
    job.servers = servers;
    if (!server_of(0, job).has_value()) break;
    if (!connections_keep_order(pushes, job)) continue;
    assumptions.push_back(
        {"inferred_servers",
         fmt::format("The number of servers, {}, is inferred from the order of acknowledgements; if that is wrong, set "
                     "servers in job.yaml.",
                     servers)});
    return job;
  }
  job.servers.reset();
  assumptions.push_back({"unknown_servers",
                         "The number of servers is unknown, so transfers keep their recorded durations, including "
                         "queueing; set servers in job.yaml."});
  return job;
}

}  // namespace stepsim::ingest
