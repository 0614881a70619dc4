#include "ingest/stitch/parameter_server/tasks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "model/job/parameter_server/workload.h"

namespace stepsim::ingest {
namespace {

constexpr std::uint32_t kMostServers = 64;
/// If control messages have priority, an acknowledgement may overtake another one by up to this time.
constexpr Duration kOvertaking{2'000'000};
/// The share of pushes that may be out of order even with the right number of servers.
constexpr double kOutOfOrder = 0.02;

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
  for (const std::vector<Push>& of_gpu : pushes) allowed += kOutOfOrder * static_cast<double>(of_gpu.size());
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
