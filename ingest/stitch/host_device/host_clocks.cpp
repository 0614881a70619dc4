#include "ingest/stitch/host_device/collectives.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "ingest/stitch/clocks.h"
#include "model/base/median.h"

namespace stepsim::ingest {
namespace {

/// The kinds of connection between two clocks, the weakest first.
enum class ClockTie : std::uint8_t {
  kRooted,            ///< a broadcast, reduce, gather or scatter: some members do not wait for others
  kMessage,           ///< a send and its receive
  kHostCollective,    ///< a collective on hosts in which no member ends before every member has begun
  kDeviceCollective,  ///< kernels of one collective, which end together
};

/// One collective or message, recorded by the clocks of hosts a and b.
struct ClockPair {
  Duration ahead{};    ///< end on b's clock minus end on a's clock
  ClockBounds bounds;  ///< how far b's clock is ahead: b began before a ended, and a before b ended
  Duration alone{};    ///< shortest time of a transfer of this kind on either host, waiting included
};
using Pairs = std::vector<ClockPair>;
/// Pairs by (host, host), the smaller index first, then by connection, the strongest first.
using PairsOfHosts = std::map<std::pair<std::uint32_t, std::uint32_t>, std::map<ClockTie, Pairs, std::greater<>>>;

/// One host's part in a matched collective or message. If several of its ranks take part, `begin` is their latest begin
/// and `end` their earliest end.
struct HostPart {
  std::uint32_t host = 0;
  Time begin;
  Time end;
  Duration longest{};
};

std::vector<HostPart> parts_by_host(const MatchedCollective& match, const std::vector<std::uint32_t>& host) {
  std::vector<HostPart> parts;
  std::map<std::uint32_t, std::size_t> place;
  for (const CollectiveUse& use : match.uses) {
    const auto [slot, added] = place.try_emplace(host[use.rank], parts.size());
    if (added) parts.push_back({host[use.rank], use.begin, use.end, {}});
    HostPart& part = parts[slot->second];
    part.begin = std::max(part.begin, use.begin);
    part.end = std::min(part.end, use.end);
    part.longest = std::max(part.longest, use.end - use.begin);
  }
  return parts;
}

/// Returns true if sums of the times of the two parts cannot overflow: the clocks are less than 73 years apart (one may
/// count from 1970, the other from the start of its host), and the parts are shorter than 18 years.
bool comparable(const HostPart& a, const HostPart& b) {
  constexpr Duration kFurthest{std::int64_t{1} << 61};
  constexpr Duration kLongest{std::int64_t{1} << 59};
  const Duration ahead = b.end - a.end;
  return ahead < kFurthest && ahead > -kFurthest && std::max(a.longest, b.longest) < kLongest;
}

/// Returns true if no member can end before every member has begun, because each needs data from all others.
bool needs_all_members(CollectiveOp op) {
  switch (op) {
    case CollectiveOp::kAllReduce:
    case CollectiveOp::kReduceScatter:
    case CollectiveOp::kAllGather:
    case CollectiveOp::kAllToAll:
    case CollectiveOp::kBarrier: return true;
    default: return false;
  }
}

ClockTie tie_of(const MatchedCollective& match, const std::vector<RankEvents>& ranks, CollectiveOp op) {
  if (match.point_to_point()) return ClockTie::kMessage;
  if (is_rooted(match, ranks)) return ClockTie::kRooted;
  if (match.on_device()) return ClockTie::kDeviceCollective;
  return needs_all_members(op) ? ClockTie::kHostCollective : ClockTie::kRooted;
}

/// The length of the shortest part of each kind of transfer on each host. It is close to the time of a transfer without
/// waiting, because the part that begins last does not wait for others.
class Alone {
 public:
  void note(const Collective& kind, std::uint32_t host, Duration length) {
    const auto [slot, added] = shortest_.try_emplace(key(kind, host), length);
    slot->second = std::min(slot->second, length);
  }
  [[nodiscard]] Duration of(const Collective& kind, std::uint32_t host) const { return shortest_.at(key(kind, host)); }

 private:
  using Key = std::tuple<CollectiveOp, std::int64_t, std::uint32_t>;
  static Key key(const Collective& kind, std::uint32_t host) { return {kind.op, kind.bytes.count(), host}; }
  std::map<Key, Duration> shortest_;
};

/// Sets the bounds on the clock difference that follow from causes and effects. A rooted operation would bound only one
/// side. Its parts are assumed to overlap instead, so that the length of the longer part bounds both sides.
void set_bounds(const HostPart& a, const HostPart& b, ClockTie tie, bool a_sends, ClockPair& pair) {
  if (tie == ClockTie::kRooted) {
    const Duration longest = std::max(a.longest, b.longest);
    pair.bounds = {pair.ahead - longest, pair.ahead + longest};
  }
  const bool both = tie == ClockTie::kHostCollective;
  const bool message = tie == ClockTie::kMessage;
  if (both || (message && !a_sends)) pair.bounds.least = b.begin - a.end;
  if (both || (message && a_sends)) pair.bounds.most = b.end - a.begin;
}

/// Collects the pairs of hosts that each match gives. Kernels of a match end together, so each host is paired with the
/// next one. For transfers on hosts, the first host is paired with each other one, so that no residual is a sum over
/// many pairs. Apart from the check against overflow (comparable()), no decision compares times of different clocks. So
/// if a clock is off by seconds, this error appears unchanged in ClockPair::ahead of each pair of its host.
PairsOfHosts pairs_of_hosts(const std::vector<MatchedCollective>& matches, const std::vector<RankEvents>& ranks,
                            const std::vector<std::uint32_t>& host, std::size_t world) {
  std::vector<Collective> kinds;
  std::vector<std::vector<HostPart>> parts;
  Alone alone;
  for (const MatchedCollective& match : matches) {
    kinds.push_back(payload_of(match, ranks, group_of(match, ranks, world)));
    parts.push_back(parts_by_host(match, host));
    for (const CollectiveUse& use : match.uses) alone.note(kinds.back(), host[use.rank], use.end - use.begin);
  }
  PairsOfHosts pairs;
  for (std::size_t m = 0; m < matches.size(); ++m) {
    const ClockTie tie = tie_of(matches[m], ranks, kinds[m].op);
    if (tie == ClockTie::kMessage && kinds[m].op != CollectiveOp::kSendRecv) continue;  // the sender is unknown
    for (std::size_t i = 1; i < parts[m].size(); ++i) {
      const std::size_t other = matches[m].on_device() ? i - 1 : 0;
      const bool ascending = parts[m][other].host < parts[m][i].host;
      const HostPart& a = parts[m][ascending ? other : i];
      const HostPart& b = parts[m][ascending ? i : other];
      if (!comparable(a, b)) continue;
      ClockPair pair{b.end - a.end, {}, {}};
      set_bounds(a, b, tie, (kinds[m].root == 0) == ascending, pair);
      if (tie != ClockTie::kRooted) pair.alone = std::min(alone.of(kinds[m], a.host), alone.of(kinds[m], b.host));
      pairs[{a.host, b.host}][tie].push_back(pair);
    }
  }
  return pairs;
}

std::vector<Duration> ends_of(const Pairs& pairs) {
  std::vector<Duration> ends;
  ends.reserve(pairs.size());
  for (const ClockPair& pair : pairs) ends.push_back(pair.ahead);
  return ends;
}

ClockBounds range_of(const std::vector<Duration>& values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return {*low, *high};
}

/// Returns the tightest bounds that `pairs` give. If `transfer` is set, each bound is first tightened by
/// ClockPair::alone, the shortest recorded time of a transfer of the same kind: every member is assumed to end at least
/// that long after the last member began. This is likely but not certain, because a member that began early may need
/// less time than that after the last member began. So the tightened bounds may contradict each other.
ClockBounds bounds_of(const Pairs& pairs, bool transfer) {
  ClockBounds tightest;
  for (const auto& [ahead, bounds, alone] : pairs) {
    if (bounds.least) tightest.at_least(*bounds.least + (transfer ? alone : Duration{}));
    if (bounds.most) tightest.at_most(*bounds.most - (transfer ? alone : Duration{}));
  }
  return tightest;
}

/// Computes the clock difference of two hosts from their transfers of one kind. Returns nullopt if these transfers give
/// only a lower or only an upper bound. Even if all ends give the same difference, it is not more certain: a link that
/// is slower in one direction makes all ends on one host equally late.
std::optional<ClockDifference> by_causes(ClockTie tie, const Pairs& pairs) {
  ClockDifference out{.bounds = bounds_of(pairs, false)};
  if (!out.bounds.least || !out.bounds.most) return std::nullopt;
  const ClockBounds likely = bounds_of(pairs, true);
  const Duration low = *likely.least;
  const Duration high = *likely.most;
  const bool by_middle = tie == ClockTie::kMessage || low > high;
  const Duration ahead = by_middle ? low + (high - low) / 2 : std::clamp(upper_median(ends_of(pairs)), low, high);
  if (*out.bounds.least > *out.bounds.most) std::swap(out.bounds.least, out.bounds.most);
  out.estimate = std::clamp(ahead, *out.bounds.least, *out.bounds.most);
  return out;
}

std::optional<ClockDifference> difference_of(ClockTie tie, const Pairs& pairs) {
  if (tie != ClockTie::kDeviceCollective) return by_causes(tie, pairs);
  return ClockDifference{.bounds = range_of(ends_of(pairs)), .estimate = upper_median(ends_of(pairs))};
}

}  // namespace

HostClocks align_host_clocks(const std::vector<MatchedCollective>& matches, const std::vector<RankEvents>& ranks,
                             const std::vector<std::string>& hosts, const std::vector<std::uint32_t>& host_of_rank,
                             std::size_t world) {
  std::vector<ClockDifference> differences;
  std::vector<ClockBounds> ends;  // by difference: range of the differences of ends
  for (const auto& [of_hosts, by_tie] : pairs_of_hosts(matches, ranks, host_of_rank, world)) {
    for (const auto& [tie, pairs] : by_tie) {
      std::optional<ClockDifference> found = difference_of(tie, pairs);
      if (!found) continue;
      std::tie(found->a, found->b) = of_hosts;
      found->weight = static_cast<double>(pairs.size());
      differences.push_back(*found);
      ends.push_back(range_of(ends_of(pairs)));
      break;
    }
  }
  HostClocks out;
  for (const AlignedClock& clock : align_clocks(hosts.size(), 0, differences)) {
    out.clocks.push_back({hosts[out.clocks.size()], clock.offset, clock.residual, 0, {}});
    out.tied.push_back(clock.known);
  }
  for (std::size_t d = 0; d < differences.size(); ++d) {
    HostClock& a = out.clocks[differences[d].a];
    HostClock& b = out.clocks[differences[d].b];
    const Duration apart = ends[d].reach(b.offset - a.offset);
    a.spread = std::max(a.spread, apart);
    b.spread = std::max(b.spread, apart);
  }
  return out;
}

}  // namespace stepsim::ingest
