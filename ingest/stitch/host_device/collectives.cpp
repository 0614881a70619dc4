#include "ingest/stitch/host_device/collectives.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>

#include <fmt/format.h>

#include "ingest/parts/process_groups.h"
#include "model/base/known_diagnostics.h"
#include "model/base/text.h"

namespace stepsim::ingest {
namespace {

/// Tolerance for the ends of the kernels of one collective: kEndGrain or 1 / kEndShare of the shortest kernel's length,
/// whichever is longer.
constexpr Duration kEndGrain{500'000};
constexpr std::int64_t kEndShare = 5;
/// Tolerance for the ends of a collective that runs on hosts: this time or the length of its shortest part, whichever
/// is longer. TCP delivers the last messages to the members at different times.
constexpr Duration kHostEndGrain{5'000'000};

/// Kernels of a group without sequence numbers are counted over the whole recording, from the first rank's first one.
void count_from_first_rank(std::vector<std::vector<CollectiveUse>>& uses, const std::vector<std::int64_t>& early) {
  for (std::size_t rank = 0; rank < uses.size(); ++rank) {
    std::int64_t number = -early[rank];
    for (CollectiveUse& use : uses[rank]) {
      if (use.is_unnumbered_kernel()) use.key = fmt::format("unnumbered|{}", number++);
    }
  }
}

std::string_view without_outer_underscores(std::string_view name) {
  while (name.starts_with('_')) name.remove_prefix(1);
  while (name.ends_with('_')) name.remove_suffix(1);
  return name;
}

/// Makes the keys by which a rank's collectives are matched with those of other ranks. add_occurrence() later adds the
/// number of the occurrence.
class KeyMaker {
 public:
  /// `groups` has the numbers of groups so far, by key_of(); those of this rank are added.
  KeyMaker(const RankEvents& events, std::uint32_t rank, const std::vector<RankIdentity>& identities,
           std::map<std::string, std::size_t>& groups)
      : events_(events), rank_(rank), identities_(identities) {
    for (std::size_t i = 0; i < events.trace->groups.size(); ++i) {
      group_numbers_.push_back(
          groups.try_emplace(key_of(*events.trace, ProcessGroupId{i}), groups.size()).first->second);
    }
    for (const RankEvents::Thread& thread : events.threads) {
      for (const std::uint32_t event : thread.events) note_call(event);
    }
    for (auto& [operation, calls] : calls_) std::sort(calls.begin(), calls.end());
  }

  [[nodiscard]] CollectiveUse use(std::uint32_t event, std::uint32_t op, std::string_view operation) const {
    const EventDetail* const detail = events_.trace->detail_of(event);
    CollectiveUse out{rank_, event, op, events_.begin_of(event), events_.end_of(event), {}, false, false, event};
    if (op != kNoIndex) std::tie(out.begin, out.end) = std::pair{events_.ops[op].begin, events_.ops[op].end};
    if (detail != nullptr && detail->collective.valid()) operation = events_.trace->text(detail->collective);
    operation = without_outer_underscores(operation);
    out.point_to_point = operation == "send" || operation == "recv";
    out.key = out.point_to_point ? peer_key(operation, detail, out.begin) : std::string(operation);
    out.numbered = detail != nullptr && detail->sequence >= 0 && !out.point_to_point;
    if (detail != nullptr) out.key += describe(*detail, has_equal_sizes(operation), out.numbered);
    return out;
  }

 private:
  /// Notes the peer of a c10d::send or c10d::recv, because the gloo:send that it submits does not name one.
  void note_call(std::uint32_t event) {
    const std::string_view name = events_.name_of(event);
    if (events_.trace->kind[event] != EventKind::kOp || !name.starts_with(kProcessGroupCall)) return;
    const EventDetail* const detail = events_.trace->detail_of(event);
    if (detail == nullptr || detail->peer < 0) return;
    const std::string_view operation = without_outer_underscores(name.substr(kProcessGroupCall.size()));
    calls_[operation].emplace_back(events_.begin_of(event), detail->peer);
  }

  [[nodiscard]] std::int64_t peer_of_call(std::string_view operation, Time begin) const {
    const auto calls = calls_.find(operation);
    if (calls == calls_.end()) return -1;
    const auto after = std::upper_bound(calls->second.begin(), calls->second.end(),
                                        std::pair{begin, std::numeric_limits<std::int32_t>::max()});
    return after == calls->second.begin() ? -1 : std::prev(after)->second;
  }

  std::string peer_key(std::string_view operation, const EventDetail* detail, Time begin) const {
    const std::int64_t self = identities_[rank_].rank;
    const std::int64_t peer = detail != nullptr && detail->peer >= 0 ? detail->peer : peer_of_call(operation, begin);
    if (peer < 0 && identities_.size() != 2) return fmt::format("p2p of rank {}", self);
    const std::int64_t other = peer >= 0 ? peer : identities_[1 - rank_].rank;
    return operation == "send" ? fmt::format("p2p {}>{}", self, other) : fmt::format("p2p {}>{}", other, self);
  }

  /// Returns true if the operation has the same size on all ranks. An all-to-all, gather or scatter may have a
  /// different size on each rank.
  static bool has_equal_sizes(std::string_view operation) {
    return operation.find("to_all") == std::string_view::npos && operation.find("alltoall") == std::string_view::npos &&
           !operation.starts_with("gather") && !operation.starts_with("scatter");
  }

  /// Messages are not matched by their sequence numbers, because each rank counts its own sends and receives.
  [[nodiscard]] std::string describe(const EventDetail& detail, bool equal_sizes, bool numbered) const {
    std::string text;
    if (detail.group.valid()) text += fmt::format("|group {}", group_numbers_[detail.group.index()]);
    if (numbered) return text + fmt::format("|seq {}", detail.sequence);
    const std::string_view dtype =
        detail.dtype.valid() ? std::string_view{events_.trace->text(detail.dtype)} : std::string_view{};
    if (!equal_sizes) return text + fmt::format("|{}", dtype);
    return text + fmt::format("|{}|{}|{}", detail.elements, detail.bytes.count(), dtype);
  }

  const RankEvents& events_;
  std::uint32_t rank_;
  const std::vector<RankIdentity>& identities_;
  std::vector<std::size_t> group_numbers_;  ///< by ProcessGroupId; equal on all members
  std::map<std::string_view, std::vector<std::pair<Time, std::int32_t>>> calls_;
};

/// Adds the number of the occurrence to each key. A sequence number occurs again in groups of the same ranks, and in
/// coalesced operations. Collectives without such a number are counted within steps, and steps from each rank's first
/// one, because step numbers may differ between ranks by a constant.
void add_occurrence(std::vector<CollectiveUse>& uses, const RankEvents& events) {
  std::map<std::pair<std::int32_t, std::string>, std::uint32_t> seen;
  for (CollectiveUse& use : uses) {
    if (use.numbered) {
      use.key += fmt::format("|{}", seen[{-1, use.key}]++);
      continue;
    }
    const Time issued = use.op == kNoIndex || events.ops[use.op].call == kNoIndex
                            ? use.begin
                            : events.begin_of(events.ops[use.op].call);
    const std::int32_t step = events.step_at(issued);
    const std::uint32_t occurrence = seen[{step, use.key}]++;
    use.key += fmt::format("|step {}|{}", step, occurrence);
  }
}

bool has_size(const EventDetail* detail) { return detail != nullptr && detail->bytes > Bytes{}; }

/// Host annotations such as "nccl:all_reduce" that have a size, by thread and begin.
class HostAnnotations {
 public:
  explicit HostAnnotations(const RankEvents& events) : events_(events), by_thread_(events.threads.size()) {
    for (std::size_t t = 0; t < by_thread_.size(); ++t) {
      for (const std::uint32_t event : events.threads[t].events) {
        const bool is_mark = events.trace->kind[event] == EventKind::kAnnotation;
        if (is_mark && events.name_of(event).starts_with(kNcclAnnotation) && has_size(events.trace->detail_of(event)))
          by_thread_[t].push_back(event);
      }
    }
  }

  [[nodiscard]] std::uint32_t around_launch_of(const DeviceOp& op) const {
    if (op.call == kNoIndex) return kNoIndex;
    const std::vector<std::uint32_t>& marks = by_thread_[op.thread];
    const Time called = events_.begin_of(op.call);
    const auto after = std::upper_bound(marks.begin(), marks.end(), called, [this](Time time, std::uint32_t mark) {
      return time < events_.begin_of(mark);
    });
    return after == marks.begin() || events_.end_of(*std::prev(after)) < called ? kNoIndex : *std::prev(after);
  }

 private:
  const RankEvents& events_;
  std::vector<std::vector<std::uint32_t>> by_thread_;
};

/// For a kernel without a size, uses the annotation around its launch as its description. If several kernels were
/// launched within an annotation, it describes none of them, because it does not give their individual sizes.
void find_descriptions(std::vector<CollectiveUse>& uses, const RankEvents& events) {
  const HostAnnotations annotations{events};
  std::map<std::uint32_t, std::vector<CollectiveUse*>> under;
  for (CollectiveUse& use : uses) {
    if (use.op == kNoIndex || has_size(events.trace->detail_of(use.event))) continue;
    const std::uint32_t mark = annotations.around_launch_of(events.ops[use.op]);
    if (mark != kNoIndex) under[mark].push_back(&use);
  }
  for (const auto& [mark, kernels] : under) {
    if (kernels.size() == 1) kernels.front()->described_by = mark;
  }
}

std::vector<CollectiveUse> uses_of(const RankEvents& events, std::uint32_t rank,
                                   const std::vector<RankIdentity>& identities,
                                   std::map<std::string, std::size_t>& groups) {
  const KeyMaker keys(events, rank, identities, groups);
  std::vector<CollectiveUse> uses;
  for (std::uint32_t i = 0; i < events.ops.size(); ++i) {
    const std::uint32_t event = events.ops[i].event;
    if (events.is_collective(event))
      uses.push_back(keys.use(event, i, collective_in(events.name_of(event)).value_or("collective")));
  }
  for (const RankEvents::Thread& thread : events.threads) {
    for (const std::uint32_t event : thread.events) {
      const std::string_view name = events.name_of(event);
      if (events.trace->kind[event] == EventKind::kAnnotation && is_host_collective(name)) {
        uses.push_back(keys.use(event, kNoIndex, *collective_in(name)));
      }
    }
  }
  std::sort(uses.begin(), uses.end(), [](const CollectiveUse& a, const CollectiveUse& b) {
    return std::tuple{a.begin, a.event} < std::tuple{b.begin, b.event};
  });
  add_occurrence(uses, events);
  find_descriptions(uses, events);
  return uses;
}

bool ends_apart(const MatchedCollective& match) {
  if (match.point_to_point()) return false;
  const Duration allowed =
      match.on_device() ? kernel_end_tolerance(match.shortest()) : std::max(kHostEndGrain, match.shortest());
  return match.end_spread() > allowed;
}

}  // namespace

Duration kernel_end_tolerance(Duration shortest) noexcept { return std::max(kEndGrain, shortest / kEndShare); }

Duration MatchedCollective::end_spread() const noexcept {
  const auto [low, high] =
      std::minmax_element(uses.begin(), uses.end(), [](const auto& a, const auto& b) { return a.end < b.end; });
  return high->end - low->end;
}

Duration MatchedCollective::shortest() const noexcept {
  Duration best = Duration::max();
  for (const CollectiveUse& use : uses) best = std::min(best, use.end - use.begin);
  return best;
}

Time MatchedCollective::last_arrival() const noexcept {
  Time last = Time::min();
  for (const CollectiveUse& use : uses) last = std::max(last, use.begin);
  return last;
}

namespace {

void sort_by_begin(std::vector<MatchedCollective>& matches) {
  std::sort(matches.begin(), matches.end(), [](const MatchedCollective& a, const MatchedCollective& b) {
    return std::tuple{a.uses.front().begin, a.uses.front().key} < std::tuple{b.uses.front().begin, b.uses.front().key};
  });
}

}  // namespace

void update_times(std::vector<MatchedCollective>& matches, const std::vector<RankEvents>& ranks) {
  for (MatchedCollective& match : matches) {
    for (CollectiveUse& use : match.uses) {
      const RankEvents& events = ranks[use.rank];
      const bool on_device = use.op != kNoIndex;
      use.begin = on_device ? events.ops[use.op].begin : events.begin_of(use.event);
      use.end = on_device ? events.ops[use.op].end : events.end_of(use.event);
    }
  }
  sort_by_begin(matches);
}

CollectiveMatches match_collectives(const std::vector<RankEvents>& ranks, const std::vector<RankIdentity>& identities) {
  std::vector<std::vector<CollectiveUse>> recorded;
  std::map<std::string, std::size_t> groups;
  for (std::uint32_t r = 0; r < ranks.size(); ++r) recorded.push_back(uses_of(ranks[r], r, identities, groups));
  CollectiveMatches result{.matches = {}, .early = early_collectives(recorded, ranks, identities)};
  if (!result.early.empty()) count_from_first_rank(recorded, result.early);
  std::map<std::string, std::vector<CollectiveUse>> by_key;
  std::uint64_t found = 0;
  for (std::vector<CollectiveUse>& of_rank : recorded) {
    for (CollectiveUse& use : of_rank) {
      ++found;
      by_key[use.key].push_back(std::move(use));
    }
  }
  std::vector<MatchedCollective>& matches = result.matches;
  std::uint64_t matched = 0;
  for (auto& [key, uses] : by_key) {
    std::set<std::uint32_t> members;
    for (const CollectiveUse& use : uses) members.insert(use.rank);
    if (members.size() < std::min<std::size_t>(2, ranks.size()) || members.size() != uses.size()) continue;
    matched += uses.size();
    matches.push_back({.uses = std::move(uses)});
  }
  sort_by_begin(matches);
  if (ranks.size() > 1) result.unmatched = found - matched;
  return result;
}

std::vector<Duration> constant_offsets(const std::vector<MatchedCollective>& matches,
                                       const std::vector<RankEvents>& ranks,
                                       const std::vector<RankIdentity>& identities) {
  constexpr std::size_t kFewestOffsets = 3;
  std::map<std::string_view, std::uint32_t> first_on;
  for (std::uint32_t r = 0; r < identities.size(); ++r) first_on.try_emplace(identities[r].host, r);
  std::vector<std::vector<Duration>> differences(ranks.size());
  for (const MatchedCollective& match : matches) {
    if (!match.on_device() || match.point_to_point() || is_rooted(match, ranks)) continue;
    std::map<std::uint32_t, Time> ends;
    for (const CollectiveUse& use : match.uses) ends.emplace(use.rank, use.end);
    for (const auto& [rank, end] : ends) {
      const auto first = ends.find(first_on[identities[rank].host]);
      if (first != ends.end() && first->first != rank) differences[rank].push_back(end - first->second);
    }
  }
  std::vector<Duration> offsets(ranks.size());
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    if (differences[r].size() < kFewestOffsets) continue;
    const auto [least, most] = std::minmax_element(differences[r].begin(), differences[r].end());
    const bool apart = *least > kEndGrain || *most < -kEndGrain;
    if (apart && *most - *least <= kEndGrain) offsets[r] = *least + (*most - *least) / 2;
  }
  return offsets;
}

void drop_mismatched(std::vector<MatchedCollective>& matches, const std::vector<RankEvents>& ranks,
                     const std::vector<RankIdentity>& identities, Diagnostics& diagnostics) {
  constexpr std::size_t kNamed = 8;
  std::vector<MatchedCollective> kept;
  std::string named;
  // Number of collectives whose parts must end together, which are all but the rooted ones.
  std::size_t all = 0;
  std::size_t apart = 0;
  std::size_t rooted_apart = 0;
  for (MatchedCollective& match : matches) {
    match.rooted = is_rooted(match, ranks);
    match.apart = match.rooted && ends_apart(match);
    if (match.apart) ++rooted_apart;
    if (!match.rooted) ++all;
    if (match.rooted || !ends_apart(match)) {
      kept.push_back(std::move(match));
      continue;
    }
    if (apart++ >= kNamed) continue;
    const CollectiveUse& a = match.uses.front();
    const CollectiveUse& b = match.uses.back();
    add_item(named, fmt::format("{} of ranks {} and {} end {} apart", shown(ranks[a.rank].name_of(a.event), 40),
                                identities[a.rank].rank, identities[b.rank].rank, to_text(match.end_spread())));
  }
  if (apart > 0) {
    diagnostics.count(diagnostic("collective_ends_disagree"), {}, named, apart);
  }
  if (rooted_apart > 0) diagnostics.count(diagnostic("rooted_ends_apart"), {}, {}, rooted_apart);
  if (5 * apart > all) {
    diagnostics.count(diagnostic("ranks_not_merged"));
    kept.clear();
  }
  matches = std::move(kept);
}

}  // namespace stepsim::ingest
