#include "ingest/stitch/parameter_server/tasks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "ingest/stitch/clocks.h"
#include "model/base/known_diagnostics.h"
#include "model/base/text.h"
#include "model/job/parameter_server/workload.h"

namespace stepsim::ingest {
namespace {

/// If a push is acknowledged this soon after the end of a pull from the same server, the acknowledgement may have
/// queued after the data of that pull.
constexpr Duration kQueuedAfter{1'000'000};

/// A partition's exchange with its server, on the worker's own clock.
struct Exchange {
  Time earliest_arrival;  ///< earliest time at which the push can have arrived
  Time answered;          ///< end of PULL
};

using Exchanges = std::map<std::pair<std::int64_t, std::int64_t>, Exchange>;  // key, step

/// Returns the ends of a GPU's pulls by server, ascending. If servers are unknown, all pulls are listed for server 0.
std::map<std::int64_t, std::vector<Time>> answers_of(const RecordedGpu& gpu, const Job& job) {
  std::map<std::int64_t, std::vector<Time>> ends;
  for (const StageChain& chain : gpu.chains) {
    const StageSpan* const pull = chain.find(Stage::kPull);
    if (pull != nullptr) ends[server_of(chain.key, job).value_or(0)].push_back(pull->finish);
  }
  for (auto& [server, times] : ends) std::sort(times.begin(), times.end());
  return ends;
}

void add_exchanges(const RecordedGpu& gpu, const Job& job, Exchanges& exchanges) {
  const auto answers = answers_of(gpu, job);
  for (const StageChain& chain : gpu.chains) {
    const StageSpan* const push = chain.find(Stage::kPush);
    const StageSpan* const pull = chain.find(Stage::kPull);
    if (push == nullptr || pull == nullptr) continue;
    const std::vector<Time>& ends = answers.at(server_of(chain.key, job).value_or(0));
    const auto after = std::upper_bound(ends.begin(), ends.end(), push->finish);
    const bool waited = after != ends.begin() && push->finish - *(after - 1) < kQueuedAfter;
    exchanges.try_emplace({chain.key, chain.step}, Exchange{waited ? push->start : push->finish, pull->finish});
  }
}

/// Returns bounds on how far the other worker's clock is ahead of the reference.
ClockBounds bounds_of(const Exchanges& reference, const Exchanges& other) {
  ClockBounds bounds;
  for (const auto& [key, mine] : other) {
    const auto found = reference.find(key);
    if (found == reference.end()) continue;
    bounds.at_least(mine.earliest_arrival - found->second.answered);
    bounds.at_most(mine.answered - found->second.earliest_arrival);
  }
  return bounds;
}

}  // namespace

std::vector<HostClock> align_worker_clocks(const std::vector<RecordedGpu>& gpus, const Job& job,
                                           Diagnostics& diagnostics) {
  std::vector<Exchanges> exchanges;
  std::vector<HostClock> clocks;
  for (const RecordedGpu& gpu : gpus) {
    while (clocks.size() <= gpu.worker) clocks.push_back({gpu.host, {}, {}, 0, {}});
    exchanges.resize(clocks.size());
    add_exchanges(gpu, job, exchanges[gpu.worker]);
  }
  std::vector<ClockDifference> differences;
  for (std::uint32_t worker = 1; worker < clocks.size(); ++worker)
    differences.push_back({0, worker, bounds_of(exchanges.front(), exchanges[worker])});
  const std::vector<AlignedClock> aligned = align_clocks(clocks.size(), 0, differences);
  for (std::size_t worker = 1; worker < clocks.size(); ++worker) {
    clocks[worker].offset = aligned[worker].offset;
    clocks[worker].residual = aligned[worker].residual;
    if (aligned[worker].known) continue;
    diagnostics.count(diagnostic("clock_unmatched"), {},
                      fmt::format("worker {} has no key in common with worker {}", shown(clocks[worker].host),
                                  shown(clocks.front().host)));
  }
  return clocks;
}

}  // namespace stepsim::ingest
