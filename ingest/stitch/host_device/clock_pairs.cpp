#include "ingest/stitch/host_device/clock_pairs.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "ingest/stitch/host_device/payload.h"

namespace stepsim::ingest {
namespace {

/// The part of one host in a match: with several ranks, the latest begin and the earliest end.
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

/// True if the sums of a pair cannot overflow: clocks less than 73 years apart (one may count from 1970, the other
/// from the start of its host), and parts of less than 18 years.
bool comparable(const HostPart& a, const HostPart& b) {
  constexpr Duration kFurthest{std::int64_t{1} << 61};
  constexpr Duration kLongest{std::int64_t{1} << 59};
  const Duration ahead = b.end - a.end;
  return ahead < kFurthest && ahead > -kFurthest && std::max(a.longest, b.longest) < kLongest;
}

/// True if no member can end before every member has begun: each needs something of each other.
bool all_wait_for_all(CollectiveOp op) {
  switch (op) {
    case CollectiveOp::kAllReduce:
    case CollectiveOp::kReduceScatter:
    case CollectiveOp::kAllGather:
    case CollectiveOp::kAllToAll:
    case CollectiveOp::kBarrier: return true;
    default: return false;
  }
}

ClockTie tie_of(const MatchedCollective& match, CollectiveOp op) {
  if (match.point_to_point()) return ClockTie::kMessage;
  if (match.on_device()) return ClockTie::kDeviceCollective;
  return all_wait_for_all(op) ? ClockTie::kHostCollective : ClockTie::kRooted;
}

/// The shortest part of a kind of transfer on a host. One that arrives last waits for nobody.
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

/// Sets what cannot be otherwise. A rooted operation bounds one side only, so it is taken that its parts, each
/// as long as it was, overlap.
void set_bounds(const HostPart& a, const HostPart& b, bool a_sends, ClockPair& pair) {
  if (pair.tie == ClockTie::kRooted) {
    const Duration longest = std::max(a.longest, b.longest);
    pair.least = pair.ahead - longest;
    pair.most = pair.ahead + longest;
  }
  const bool both = pair.tie == ClockTie::kHostCollective;
  const bool message = pair.tie == ClockTie::kMessage;
  if (both || (message && !a_sends)) pair.least = b.begin - a.end;
  if (both || (message && a_sends)) pair.most = b.end - a.begin;
}

}  // namespace

std::vector<ClockPair> clock_pairs(const std::vector<MatchedCollective>& matches, const std::vector<RankEvents>& ranks,
                                   const std::vector<std::uint32_t>& host, std::size_t world) {
  std::vector<Collective> kinds;
  std::vector<std::vector<HostPart>> parts;
  Alone alone;
  for (const MatchedCollective& match : matches) {
    kinds.push_back(payload_of(match, ranks, world));
    parts.push_back(parts_by_host(match, host));
    for (const CollectiveUse& use : match.uses) alone.note(kinds.back(), host[use.rank], use.end - use.begin);
  }
  std::vector<ClockPair> pairs;
  for (std::size_t m = 0; m < matches.size(); ++m) {
    const bool on_device = matches[m].on_device();
    for (std::size_t i = 1; i < parts[m].size(); ++i) {
      const HostPart& a = parts[m][on_device ? i - 1 : 0];
      const HostPart& b = parts[m][i];
      const ClockTie tie = tie_of(matches[m], kinds[m].op);
      const bool unknown_sender = tie == ClockTie::kMessage && kinds[m].op != CollectiveOp::kSendRecv;
      if (unknown_sender || !comparable(a, b)) continue;
      ClockPair pair{a.host, b.host, tie, b.end - a.end, {}, {}, {}, {}};
      set_bounds(a, b, kinds[m].root == 0, pair);
      if (pair.tie != ClockTie::kRooted) {
        pair.alone_a = alone.of(kinds[m], a.host);
        pair.alone_b = alone.of(kinds[m], b.host);
      }
      pairs.push_back(pair);
    }
  }
  return pairs;
}

}  // namespace stepsim::ingest
