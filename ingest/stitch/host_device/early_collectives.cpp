#include "ingest/stitch/host_device/collectives.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/parts/process_groups.h"
#include "model/base/median.h"

namespace stepsim::ingest {
namespace {

constexpr std::size_t kFewestTogether = 3;
/// So many of a hundred collectives must end together: one that is rooted may not.
constexpr std::size_t kEndTogether = 95;
/// A number of early kernels is first tried on so many pairs of kernels, of which so many of a hundred must end
/// together.
constexpr std::size_t kSample = 64;
constexpr std::size_t kSampleTogether = 85;
/// So many of the numbers that fit these are tried on all pairs.
constexpr std::size_t kTried = 16;

/// A kernel of a collective without a number.
struct Kernel {
  const CollectiveUse* use = nullptr;
  std::optional<std::string_view> operation;                  ///< as its name says
  std::optional<std::pair<std::string_view, Bytes>> payload;  ///< operation and size, if the trace gives them

  [[nodiscard]] Duration length() const { return use->end - use->begin; }
  /// True if two kernels may be parts of one collective.
  [[nodiscard]] bool is_like(const Kernel& other) const {
    return operation == other.operation && (!payload || !other.payload || payload == other.payload);
  }
};
using Kernels = std::vector<Kernel>;  // of one rank, in the order of their begins
using KernelPairs = std::vector<std::pair<const Kernel*, const Kernel*>>;

Kernels unnumbered_kernels(const std::vector<CollectiveUse>& uses, const std::vector<RankEvents>& ranks) {
  Kernels kernels;
  for (const CollectiveUse& use : uses) {
    if (!use.is_unnumbered_kernel()) continue;
    const RankEvents& events = ranks[use.rank];
    const EventDetail* const detail = events.trace->detail_of(use.event);
    Kernel& kernel = kernels.emplace_back(Kernel{&use, collective_in(events.name_of(use.event)), {}});
    if (names_collective(*events.trace, use.event))
      kernel.payload.emplace(events.trace->text(detail->collective), detail->bytes);
  }
  return kernels;
}

/// Returns the time by which the second ends of the pairs are later, 0 if both ranks have one clock; nothing if that
/// time is not right for `together` of a hundred pairs, or if there are none.
std::optional<Duration> apart_by(const KernelPairs& pairs, bool one_clock, std::size_t together) {
  if (pairs.empty()) return std::nullopt;
  std::vector<Duration> differences;
  differences.reserve(pairs.size());
  for (const auto& [one, other] : pairs) differences.push_back(other->use->end - one->use->end);
  const Duration apart = one_clock ? Duration{} : median(differences);
  std::size_t right = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const Duration tolerance = kernel_end_tolerance(std::min(pairs[i].first->length(), pairs[i].second->length()));
    if (std::chrono::abs(differences[i] - apart) <= tolerance) ++right;
  }
  return 100 * right >= together * pairs.size() ? std::optional{apart} : std::nullopt;
}

/// Pairs the kernels of two ranks if the second rank recorded `early` more before the first rank's first one: at most
/// about `most` of them, at irregular distances because steps are regular. Returns none if two of a pair are not alike.
KernelPairs pairs_if(std::int64_t early, const Kernels& first, const Kernels& second, std::size_t most) {
  const auto skipped = static_cast<std::size_t>(std::max<std::int64_t>(0, early));
  const auto begin = static_cast<std::size_t>(std::max<std::int64_t>(0, -early));
  const std::size_t count = std::min(first.size() - begin, second.size() - skipped);
  const std::size_t stride = std::max<std::size_t>(1, count / most);
  KernelPairs pairs;
  for (std::size_t i = 0; i < count; i += stride) {
    constexpr std::size_t kPrime = 7'919;
    const std::size_t at = std::min(count - 1, i + i / stride * kPrime % stride);
    pairs.emplace_back(&first[begin + at], &second[skipped + at]);
    if (!pairs.back().first->is_like(*pairs.back().second)) return {};
  }
  return pairs;
}

/// Returns how many more kernels the second rank recorded before the first rank's first one; nothing if not exactly one
/// number fits. `host` is true if both ranks may be on one host: traces of hosts that are not named may have one clock.
std::optional<std::int64_t> early_by(const Kernels& first, const Kernels& second, bool host, bool one_clock) {
  const auto fewest = static_cast<std::int64_t>(std::max(kFewestTogether, std::min(first.size(), second.size()) / 2));
  std::vector<std::pair<Duration, std::int64_t>> candidates;  // the smallest difference of clocks first
  for (auto early = fewest - std::ssize(first); early + fewest <= std::ssize(second); ++early) {
    const auto apart = apart_by(pairs_if(early, first, second, kSample), one_clock, kSampleTogether);
    if (apart) candidates.emplace_back(std::chrono::abs(*apart), early);
  }
  std::sort(candidates.begin(), candidates.end());
  const bool all_tried = candidates.size() <= kTried;
  candidates.resize(std::min(candidates.size(), kTried));
  std::vector<std::int64_t> fitting;
  std::vector<std::int64_t> at_once;  // of these, the ones that fit if both ranks have one clock
  for (const auto& [clock, early] : candidates) {
    const auto apart = apart_by(pairs_if(early, first, second, first.size()), one_clock, kEndTogether);
    if (!apart) continue;
    fitting.push_back(early);
    if (host && std::chrono::abs(*apart) <= kernel_end_tolerance({})) at_once.push_back(early);
  }
  if (all_tried && fitting.size() == 1) return fitting.front();
  return at_once.size() == 1 ? std::optional{at_once.front()} : std::nullopt;
}

/// True if all kernels whose group is known belong to the same one.
bool are_of_one_group(const std::vector<Kernels>& kernels, const std::vector<RankEvents>& ranks) {
  std::optional<std::string> group;
  for (const Kernels& of_rank : kernels) {
    for (const Kernel& kernel : of_rank) {
      const HostDeviceTrace& trace = *ranks[kernel.use->rank].trace;
      const EventDetail* const detail = trace.detail_of(kernel.use->event);
      if (detail == nullptr || !detail->group.valid()) continue;
      std::string key = key_of(trace, detail->group);
      if (group && *group != key) return false;
      group = std::move(key);
    }
  }
  return true;
}

/// True if at least half of a rank's kernels, or of the first rank's if it has fewer, have the key of one of the first
/// rank's, and nearly all of these end together. A constant difference of two clocks is allowed if ranks may be on two
/// hosts.
bool keys_agree(const Kernels& first, const Kernels& second, bool one_clock) {
  std::map<std::string_view, const Kernel*> by_key;
  for (const Kernel& kernel : first) by_key.emplace(kernel.use->key, &kernel);
  KernelPairs pairs;
  for (const Kernel& kernel : second) {
    const auto found = by_key.find(kernel.use->key);
    if (found != by_key.end()) pairs.emplace_back(found->second, &kernel);
  }
  return 2 * pairs.size() >= std::min(first.size(), second.size()) &&
         apart_by(pairs, one_clock, kEndTogether).has_value();
}

}  // namespace

std::vector<std::int64_t> early_collectives(const std::vector<std::vector<CollectiveUse>>& uses,
                                            const std::vector<RankEvents>& ranks,
                                            const std::vector<RankIdentity>& identities) {
  if (uses.size() < 2) return {};
  std::vector<Kernels> kernels;
  kernels.reserve(uses.size());
  for (const std::vector<CollectiveUse>& of_rank : uses) kernels.push_back(unnumbered_kernels(of_rank, ranks));
  const bool enough =
      std::all_of(kernels.begin(), kernels.end(), [](const Kernels& one) { return one.size() >= kFewestTogether; });
  if (!enough || !are_of_one_group(kernels, ranks)) return {};
  const std::string& host = identities.front().host;
  const auto one_clock = [&](std::size_t rank) { return !host.empty() && host == identities[rank].host; };
  bool agree = true;
  for (std::size_t rank = 1; rank < kernels.size(); ++rank)
    agree = agree && keys_agree(kernels.front(), kernels[rank], one_clock(rank));
  if (agree) return {};
  std::vector<std::int64_t> early{0};
  for (std::size_t rank = 1; rank < kernels.size(); ++rank) {
    const bool may_share = host == identities[rank].host;
    const auto found = early_by(kernels.front(), kernels[rank], may_share, one_clock(rank));
    if (!found) return {};
    early.push_back(*found);
  }
  return early;
}

}  // namespace stepsim::ingest
