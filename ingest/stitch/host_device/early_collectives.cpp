#include "ingest/stitch/host_device/collectives.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "model/base/median.h"

namespace stepsim::ingest {
namespace {

constexpr std::size_t kFewestTogether = 3;
/// So many of a hundred collectives must end together: one that is rooted may not.
constexpr std::size_t kEndTogether = 95;

using Uses = std::vector<const CollectiveUse*>;

Uses unnumbered_kernels(const std::vector<CollectiveUse>& uses) {
  Uses kernels;
  for (const CollectiveUse& use : uses) {
    if (use.is_unnumbered_kernel()) kernels.push_back(&use);
  }
  return kernels;
}

/// Kernels of two ranks that may be parts of one collective.
using UsePairs = std::vector<std::pair<const CollectiveUse*, const CollectiveUse*>>;

/// Returns the time by which the second ends of the pairs are later, 0 if both ranks have one clock; nothing if that
/// time is not right for nearly all pairs, or if there are none.
std::optional<Duration> apart_by(const UsePairs& pairs, bool one_clock) {
  if (pairs.empty()) return std::nullopt;
  std::vector<Duration> differences;
  differences.reserve(pairs.size());
  for (const auto& [one, other] : pairs) differences.push_back(other->end - one->end);
  const Duration apart = one_clock ? Duration{} : median(differences);
  std::size_t together = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto& [one, other] = pairs[i];
    const Duration tolerance = kernel_end_tolerance(std::min(one->end - one->begin, other->end - other->begin));
    if (std::chrono::abs(differences[i] - apart) <= tolerance) ++together;
  }
  return 100 * together >= kEndTogether * pairs.size() ? std::optional{apart} : std::nullopt;
}

/// Compares two ranks' kernels of one group, both in the order of their begins.
class TwoRanks {
 public:
  TwoRanks(const std::vector<RankEvents>& ranks, const std::vector<RankIdentity>& identities, const Uses& first,
           const Uses& second)
      : ranks_(ranks),
        first_(first),
        second_(second),
        // Traces of one host, or of hosts that are not named, may still have one clock.
        may_share_clock_(identities[first.front()->rank].host == identities[second.front()->rank].host),
        share_clock_(may_share_clock_ && !identities[first.front()->rank].host.empty()) {}

  /// Returns how many more kernels the second rank recorded before the first rank's first one; nothing if not exactly
  /// one number fits.
  [[nodiscard]] std::optional<std::int64_t> early() const {
    const auto fewest =
        static_cast<std::int64_t>(std::max(kFewestTogether, std::min(first_.size(), second_.size()) / 2));
    std::vector<std::int64_t> fitting;
    std::vector<std::int64_t> at_once;  // of these, the ones that fit if both ranks have one clock
    for (std::int64_t early = fewest - static_cast<std::int64_t>(first_.size());
         early + fewest <= static_cast<std::int64_t>(second_.size()); ++early) {
      const std::optional<Duration> apart = apart_if(early);
      if (!apart) continue;
      fitting.push_back(early);
      if (may_share_clock_ && std::chrono::abs(*apart) <= kernel_end_tolerance({})) at_once.push_back(early);
    }
    if (fitting.size() == 1) return fitting.front();
    return at_once.size() == 1 ? std::optional{at_once.front()} : std::nullopt;
  }

 private:
  /// Returns the time by which the second rank's ends are later if it is that many kernels early; nothing if that does
  /// not fit.
  [[nodiscard]] std::optional<Duration> apart_if(std::int64_t early) const {
    const auto begin = static_cast<std::size_t>(std::max<std::int64_t>(0, -early));
    const auto shift = [early](std::size_t i) {
      return static_cast<std::size_t>(static_cast<std::int64_t>(i) + early);
    };
    const std::size_t end =
        std::min(first_.size(), static_cast<std::size_t>(static_cast<std::int64_t>(second_.size()) - early));
    UsePairs pairs;
    for (std::size_t i = begin; i < end; ++i) {
      pairs.emplace_back(first_[i], second_[shift(i)]);
      if (!are_alike(*pairs.back().first, *pairs.back().second)) return std::nullopt;
    }
    return apart_by(pairs, share_clock_);
  }

  /// True if two kernels may be parts of one collective: if they have the same operation, as their names say, and the
  /// same size, as far as both traces give it.
  [[nodiscard]] bool are_alike(const CollectiveUse& one, const CollectiveUse& other) const {
    const RankEvents& a = ranks_[one.rank];
    const RankEvents& b = ranks_[other.rank];
    if (collective_in(a.name_of(one.event)) != collective_in(b.name_of(other.event))) return false;
    const EventDetail* const of_one = a.trace->detail_of(one.event);
    const EventDetail* const of_other = b.trace->detail_of(other.event);
    if (of_one == nullptr || of_other == nullptr || !of_one->collective.valid() || !of_other->collective.valid())
      return true;
    return a.trace->text(of_one->collective) == b.trace->text(of_other->collective) && of_one->bytes == of_other->bytes;
  }

  const std::vector<RankEvents>& ranks_;
  const Uses& first_;
  const Uses& second_;
  bool may_share_clock_;
  bool share_clock_;
};

/// True if all kernels whose group is known belong to the same one.
bool are_of_one_group(const std::vector<Uses>& kernels, const std::vector<RankEvents>& ranks) {
  std::optional<std::string_view> group;
  for (const Uses& of_rank : kernels) {
    for (const CollectiveUse* const use : of_rank) {
      const HostDeviceTrace& trace = *ranks[use->rank].trace;
      const EventDetail* const detail = trace.detail_of(use->event);
      if (detail == nullptr || !detail->group.valid()) continue;
      if (group && *group != trace.text(detail->group)) return false;
      group = trace.text(detail->group);
    }
  }
  return true;
}

/// True if at least half of a rank's kernels, or of the first rank's if it has fewer, have the key of one of the first
/// rank's, and nearly all of these end together. A constant difference of two clocks is allowed if ranks may be on two
/// hosts.
bool keys_agree(const Uses& first, const Uses& second, bool one_clock) {
  std::map<std::string_view, const CollectiveUse*> by_key;
  for (const CollectiveUse* const use : first) by_key.emplace(use->key, use);
  UsePairs pairs;
  for (const CollectiveUse* const use : second) {
    const auto found = by_key.find(use->key);
    if (found != by_key.end()) pairs.emplace_back(found->second, use);
  }
  return 2 * pairs.size() >= std::min(first.size(), second.size()) && apart_by(pairs, one_clock).has_value();
}

}  // namespace

std::vector<std::int64_t> early_collectives(const std::vector<std::vector<CollectiveUse>>& uses,
                                            const std::vector<RankEvents>& ranks,
                                            const std::vector<RankIdentity>& identities) {
  std::vector<Uses> kernels;
  kernels.reserve(uses.size());
  for (const std::vector<CollectiveUse>& of_rank : uses) kernels.push_back(unnumbered_kernels(of_rank));
  const bool enough =
      std::all_of(kernels.begin(), kernels.end(), [](const Uses& one) { return one.size() >= kFewestTogether; });
  if (!enough || !are_of_one_group(kernels, ranks)) return {};
  bool agree = true;
  for (std::size_t rank = 1; rank < kernels.size(); ++rank) {
    const bool one_clock = !identities[0].host.empty() && identities[0].host == identities[rank].host;
    agree = agree && keys_agree(kernels.front(), kernels[rank], one_clock);
  }
  if (agree) return {};
  std::vector<std::int64_t> early{0};
  for (std::size_t rank = 1; rank < kernels.size(); ++rank) {
    const std::optional<std::int64_t> found = TwoRanks(ranks, identities, kernels.front(), kernels[rank]).early();
    if (!found) return {};
    early.push_back(*found);
  }
  return early;
}

}  // namespace stepsim::ingest
