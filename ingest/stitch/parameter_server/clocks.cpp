#include "ingest/stitch/parameter_server/clocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "model/base/known_diagnostics.h"
#include "model/base/text.h"
#include "model/job/parameter_server/partition.h"

namespace stepsim::ingest {
namespace {

/// An acknowledgement that comes this soon after an answer on its connection may have queued behind it.
constexpr Duration kRightBehind{1'000'000};

/// A partition's exchange with its server, on the worker's own clock.
struct Exchange {
  Time arrived_by;  ///< the push had not arrived before this
  Time answered;    ///< end of PULL
};

using Exchanges = std::map<std::pair<std::int64_t, std::int64_t>, Exchange>;  // key, step

/// The ends of a GPU's pulls by server, ascending; all under server 0 where servers are unknown.
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
    const bool waited = after != ends.begin() && push->finish - *(after - 1) < kRightBehind;
    exchanges.try_emplace({chain.key, chain.step}, Exchange{waited ? push->start : push->finish, pull->finish});
  }
}

/// How far one clock may be ahead of another: at least and at most.
struct Bounds {
  std::optional<Duration> least;
  std::optional<Duration> most;
};

Bounds bounds_of(const Exchanges& reference, const Exchanges& other) {
  Bounds bounds;
  for (const auto& [key, mine] : other) {
    const auto found = reference.find(key);
    if (found == reference.end()) continue;
    const Exchange& theirs = found->second;
    const Duration least = mine.arrived_by - theirs.answered;
    const Duration most = mine.answered - theirs.arrived_by;
    bounds.least = std::max(bounds.least.value_or(least), least);
    bounds.most = std::min(bounds.most.value_or(most), most);
  }
  return bounds;
}

HostClock clock_within(const std::string& host, const Bounds& bounds) {
  const Duration least = *bounds.least;
  const Duration most = *bounds.most;
  const bool may_agree = least <= Duration{} && most >= Duration{};
  const Duration offset = may_agree ? Duration{} : least + (most - least) / 2;
  return {
      host, offset, std::max(std::max(offset - least, least - offset), std::max(most - offset, offset - most)), 0, {}};
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
  for (std::size_t worker = 1; worker < clocks.size(); ++worker) {
    const Bounds bounds = bounds_of(exchanges.front(), exchanges[worker]);
    if (bounds.least.has_value()) {
      clocks[worker] = clock_within(clocks[worker].host, bounds);
      continue;
    }
    diagnostics.count(diagnostic("clock_unmatched"), {},
                      fmt::format("worker {} has no key in common with worker {}", shown(clocks[worker].host),
                                  shown(clocks.front().host)));
  }
  return clocks;
}

}  // namespace stepsim::ingest
