#include "ingest/stitch/trial/rounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "ingest/stitch/clocks.h"
#include "model/base/known_diagnostics.h"
#include "model/base/median.h"
#include "model/base/text.h"

namespace stepsim::ingest {
namespace {

using Hops = std::set<std::pair<std::size_t, std::size_t>>;  // from, to

/// Returns each receiver's sender, if the hops form one ring over all ranks; else an empty list.
std::vector<std::size_t> senders_of(const Hops& hops, std::size_t ranks) {
  if (hops.size() != ranks) return {};
  std::vector<std::size_t> sender(ranks, ranks);
  for (const auto& [from, to] : hops) {
    if (from >= ranks || to >= ranks || sender[to] != ranks) return {};
    sender[to] = from;
  }
  std::size_t at = 0;
  for (std::size_t i = 1; i < ranks; ++i) {
    at = sender[at];
    if (at == 0) return {};  // the ring closes before it has all ranks
  }
  return sender;
}

}  // namespace

Rings::Rings(const std::vector<GpuParts>& gpus, Diagnostics& diagnostics, Assumptions& assumptions)
    : ranks_(gpus.size()) {
  std::map<std::int32_t, Hops> channels;
  bool tree = false;
  for (const GpuParts& gpu : gpus) {
    if (!gpu.rank_graph.has_value()) continue;
    tree = tree || gpu.rank_graph->tree;
    for (const RankGraph::Hop& hop : gpu.rank_graph->ring)
      channels[hop.channel].emplace(static_cast<std::size_t>(hop.from), static_cast<std::size_t>(hop.to));
  }
  for (const auto& [channel, hops] : channels) {
    std::vector<std::size_t> senders = senders_of(hops, ranks_);
    if (senders.empty()) {
      diagnostics.count(diagnostic("broken_ring"), {}, fmt::format("channel {}", channel));
    } else {
      senders_[channel] = std::move(senders);
    }
  }
  if (channels.empty() && tree) {
    unknown_ = true;
    diagnostics.count(diagnostic("tree_not_modelled"));
  } else if (senders_.empty() && ranks_ > 1) {
    assumptions.push_back({"ring_in_order",
                           "Each rank sends to the next and the last one to the first, because no "
                           "nccl_rank_graph.json describes a ring over all ranks."});
  }
}

std::size_t Rings::sender_to(std::size_t rank, std::int32_t channel) const {
  const auto known = senders_.find(channel);
  return known == senders_.end() ? (rank + ranks_ - 1) % ranks_ : known->second[rank];
}

namespace {

/// A round (one reduction or broadcast) as the GPUs of one worker recorded it, on the worker's clock.
struct Seen {
  Time mark;  ///< mean time at which they saw the agreement; updated in a way that cannot overflow
  std::int64_t gpus = 0;
  Time last_ready = Time::min();
};

using Rounds = std::map<std::pair<std::int64_t, std::string>, Seen>;  // step, group

/// Returns the time when a rank saw that all ranks had agreed. If `agreements` is false or none was recorded, returns
/// the end of the round.
Time mark_of(const Round& round, bool agreements) {
  const Round::Phase* const agreement = agreements ? round.find(RoundPart::kAgreement) : nullptr;
  return agreement != nullptr ? agreement->finish : round.end;
}

/// The differences between two workers' clocks, from the rounds (reductions or broadcasts) that both recorded.
struct Comparison {
  std::vector<std::int64_t> offsets;  ///< in ns, one per round
  ClockBounds bounds;
};

Comparison compared(const Rounds& reference, const Rounds& other) {
  Comparison out;
  for (const auto& [round, mine] : other) {
    const auto found = reference.find(round);
    if (found == reference.end()) continue;
    const Seen& theirs = found->second;
    out.offsets.push_back((mine.mark - theirs.mark).count());
    out.bounds.at_most(mine.mark - theirs.last_ready);
    out.bounds.at_least(mine.last_ready - theirs.mark);
  }
  return out;
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
  if (gpus.empty()) return clocks;
  const std::uint32_t reference = gpus.front().worker;  // workers before it may have been left out
  std::vector<ClockDifference> differences;
  for (std::uint32_t worker = reference + 1; worker < clocks.size(); ++worker) {
    const Comparison found = compared(seen[reference], seen[worker]);
    if (found.offsets.empty()) {
      diagnostics.count(diagnostic("clock_unmatched"), {},
                        fmt::format("worker {} has no reduction in common with worker {}", shown(clocks[worker].host),
                                    shown(clocks[reference].host)));
      continue;
    }
    const Duration offset{median(found.offsets)};
    differences.push_back({reference, worker, found.bounds, offset});
    const auto [low, high] = std::minmax_element(found.offsets.begin(), found.offsets.end());
    clocks[worker].spread = std::max(offset - Duration{*low}, Duration{*high} - offset);
  }
  const std::vector<AlignedClock> aligned = align_clocks(clocks.size(), reference, differences);
  for (std::size_t worker = 0; worker < clocks.size(); ++worker) {
    clocks[worker].offset = aligned[worker].offset;
    clocks[worker].residual = aligned[worker].residual;
  }
  return clocks;
}

}  // namespace stepsim::ingest
