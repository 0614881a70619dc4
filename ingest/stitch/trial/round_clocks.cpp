#include "ingest/stitch/trial/round_clocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "model/base/known_diagnostics.h"
#include "model/base/median.h"
#include "model/base/text.h"

namespace stepsim::ingest {
namespace {

/// What the GPUs of one worker saw of a round, on the worker's clock.
struct Seen {
  Time mark;  ///< when they saw the agreement: the mean, which no sum makes overflow
  std::int64_t gpus = 0;
  Time last_ready = Time::min();
};

using Rounds = std::map<std::pair<std::int64_t, std::string>, Seen>;  // step, group

/// When a rank saw that all had agreed; where that was not recorded, when the round ended.
Time mark_of(const Round& round, bool agreements) {
  const Round::Phase* const agreement = agreements ? round.find(RoundPart::kAgreement) : nullptr;
  return agreement != nullptr ? agreement->finish : round.end;
}

struct RoundBounds {
  std::vector<std::int64_t> offsets;  ///< in ns, a round each
  std::optional<Duration> least;
  std::optional<Duration> most;
};

RoundBounds round_bounds(const Rounds& reference, const Rounds& other) {
  RoundBounds bounds;
  for (const auto& [round, mine] : other) {
    const auto found = reference.find(round);
    if (found == reference.end()) continue;
    const Seen& theirs = found->second;
    bounds.offsets.push_back((mine.mark - theirs.mark).count());
    const Duration most = mine.mark - theirs.last_ready;
    const Duration least = mine.last_ready - theirs.mark;
    bounds.most = std::min(bounds.most.value_or(most), most);
    bounds.least = std::max(bounds.least.value_or(least), least);
  }
  return bounds;
}

HostClock clock_of(const std::string& host, RoundBounds bounds) {
  const Duration offset{median(bounds.offsets)};
  const auto [low, high] = std::minmax_element(bounds.offsets.begin(), bounds.offsets.end());
  const Duration spread = std::max(offset - Duration{*low}, Duration{*high} - offset);
  const Duration residual = std::max({offset - *bounds.least, *bounds.most - offset, Duration{}});
  return {host, offset, residual, 0, spread};
}

}  // namespace

std::vector<HostClock> align_by_rounds(const std::vector<RecordedGpu>& gpus, const std::vector<GpuRounds>& rounds,
                                       Diagnostics& diagnostics) {
  const bool agreements = std::all_of(rounds.begin(), rounds.end(), [](const GpuRounds& gpu) {
    return std::any_of(gpu.rounds.begin(), gpu.rounds.end(),
                       [](const Round& round) { return round.find(RoundPart::kAgreement) != nullptr; });
  });
  std::vector<HostClock> clocks;
  std::vector<Rounds> seen;
  for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu) {
    while (clocks.size() <= gpus[gpu].worker) clocks.push_back({gpus[gpu].host, {}, {}, 0, {}});
    seen.resize(clocks.size());
    for (const Round& round : rounds[gpu].rounds) {
      const Time mark = mark_of(round, agreements);
      Seen& one =
          seen[gpus[gpu].worker].try_emplace({round.step, round.group}, Seen{mark, 0, Time::min()}).first->second;
      one.mark += (mark - one.mark) / ++one.gpus;
      one.last_ready = std::max(one.last_ready, round.begin);
    }
  }
  const std::size_t reference = gpus.empty() ? 0 : gpus.front().worker;  // others may have been left out
  for (std::size_t worker = reference + 1; worker < clocks.size(); ++worker) {
    RoundBounds bounds = round_bounds(seen[reference], seen[worker]);
    if (!bounds.offsets.empty()) {
      clocks[worker] = clock_of(clocks[worker].host, std::move(bounds));
      continue;
    }
    diagnostics.count(diagnostic("clock_unmatched"), {},
                      fmt::format("worker {} has no reduction in common with worker {}", shown(clocks[worker].host),
                                  shown(clocks[reference].host)));
  }
  return clocks;
}

}  // namespace stepsim::ingest
