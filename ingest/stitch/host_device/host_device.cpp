#include "ingest/stitch/host_device/host_device.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "ingest/parts/tables.h"
#include "ingest/stitch/host_device/collectives.h"
#include "ingest/stitch/host_device/device_tasks.h"
#include "ingest/stitch/host_device/like_ranks.h"
#include "ingest/stitch/host_device/stitched_rank.h"
#include "model/base/known_diagnostics.h"
#include "model/base/limits.h"
#include "model/base/side_by_side.h"
#include "model/base/text.h"

namespace stepsim::ingest {
namespace {

std::vector<RankIdentity> identities_of(const std::vector<RankTrace>& ranks) {
  std::vector<RankIdentity> identities;
  identities.reserve(ranks.size());
  for (const RankTrace& rank : ranks) identities.push_back({rank.rank, rank.host()});
  return identities;
}

/// Adds the distinct hosts to `hosts` and returns the index of each rank's host. Ranks whose traces name no host are
/// assumed to share one.
std::vector<std::uint32_t> host_indices(const std::vector<RankIdentity>& identities, std::vector<std::string>& hosts) {
  std::vector<std::uint32_t> index;
  std::map<std::string_view, std::uint32_t> known;
  index.reserve(identities.size());
  for (const RankIdentity& identity : identities) {
    const auto [at, added] = known.try_emplace(identity.host, static_cast<std::uint32_t>(hosts.size()));
    index.push_back(at->second);
    if (added) hosts.push_back(identity.host);
  }
  return index;
}

std::vector<RankEvents> arrange_all(const std::vector<RankTrace>& ranks, int threads) {
  std::vector<RankEvents> events(ranks.size());
  const int threads_each = ranks.size() == 1 ? threads : 1;
  side_by_side(threads, ranks.size(), [&](std::size_t r) { events[r] = arrange(ranks[r].trace, threads_each); });
  return events;
}

/// Moves the work of devices whose clocks differ from the host's to the host's clock.
void adjust_device_clocks(std::vector<RankTrace>& ranks, std::vector<RankEvents>& events, Assembly& assembly) {
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const std::map<std::int32_t, Duration> offsets = events[r].device_clocks;
    if (offsets.empty()) continue;
    HostDeviceTrace& trace = ranks[r].trace;
    for (std::size_t i = 0; i < trace.size(); ++i) {
      const auto offset = offsets.find(trace.tracks[trace.track[i].index()].device);
      if (is_device_work(trace.kind[i]) && offset != offsets.end()) trace.start[i] -= offset->second;
    }
    events[r] = arrange(trace);
    for (const auto& [device, offset] : offsets) {
      assembly.assumptions.push_back(
          {"device_clock",
           fmt::format("The clock of rank {}'s device {} is assumed to be {} {} the host's, because {} all the time.",
                       ranks[r].rank, device, to_text(std::chrono::abs(offset)),
                       offset > Duration{} ? "ahead of" : "behind",
                       offset > Duration{} ? "waits for the device return before its work ends"
                                           : "work begins before its launch")});
    }
  }
}

/// Throws InputError if no collectives or messages connect a named host to the first host, directly or through other
/// hosts. `host` is the index of each rank's host.
void check_clocks_connected(const std::vector<std::string>& hosts, const std::vector<bool>& tied,
                            const std::vector<RankTrace>& ranks, const std::vector<std::uint32_t>& host) {
  std::vector<bool> seen(hosts.size());
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const std::uint32_t h = host[r];
    if (h == 0 || tied[h] || seen[h]) continue;
    seen[h] = true;
    if (ranks[r].trace.host_name.empty()) continue;  // an unnamed host may be the first host
    throw InputError({ranks[r].file, {}, {}},
                     fmt::format("the clocks of hosts {} and {} cannot be aligned, because they share no collective; "
                                 "expected traces of the same steps of one job, or of one host only",
                                 shown(hosts[h]), shown(hosts[0])));
  }
}

/// Returns the number of ranks of the job: the largest that a trace names, but at least the number of traces.
std::size_t world_of(const std::vector<RankTrace>& ranks, const LikeRanks& like) {
  std::size_t world = ranks.size() + like.copies.size();
  for (const RankTrace& rank : ranks)
    world = std::max(world, static_cast<std::size_t>(std::max<std::int64_t>(0, rank.trace.world_size.value_or(0))));
  return world;
}

/// States that the ranks `moved` are on `hosts` hosts of their own.
void state_hosts_by_clock(const std::set<std::int64_t>& moved, std::size_t hosts, const std::vector<Duration>& offsets,
                          Assembly& assembly) {
  Duration least = Duration::max();
  Duration most{};
  for (const Duration offset : offsets) {
    if (offset == Duration{}) continue;
    least = std::min(least, std::chrono::abs(offset));
    most = std::max(most, std::chrono::abs(offset));
  }
  const bool one = moved.size() == 1;
  assembly.assumptions.push_back(
      {"hosts_by_clock",
       fmt::format("{} {} {} assumed to be on {} than the first rank, because their clocks differ by {}{} in all "
                   "collectives; the traces name no hosts.",
                   one ? "Rank" : "Ranks", ranges_of(moved, ", "), one ? "is" : "are",
                   hosts == 1 ? "another host" : fmt::format("{} other hosts", hosts), to_text(least),
                   most - least > kClockGrain ? " to " + to_text(most) : "")});
}

/// Puts ranks whose traces name no host on different hosts if their clocks differ by a constant, which clocks of one
/// host do not. Returns true if there were such ranks.
bool separate_clocks(std::vector<RankTrace>& ranks, const std::vector<RankEvents>& events,
                     const std::vector<MatchedCollective>& matches, Assembly& assembly) {
  const std::vector<RankIdentity> identities = identities_of(ranks);
  const auto unnamed = [](const RankTrace& rank) { return rank.trace.host_name.empty(); };
  if (std::none_of(ranks.begin(), ranks.end(), unnamed)) return false;
  const std::vector<Duration> offsets = constant_offsets(matches, events, identities);
  std::map<std::string, std::map<Duration, std::string>> hosts;  // by host before, then by offset
  std::set<std::int64_t> moved;
  std::size_t added = 0;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    if (offsets[r] == Duration{} || !unnamed(ranks[r])) continue;
    auto& apart = hosts[identities[r].host];
    auto near = std::find_if(apart.begin(), apart.end(), [&](const auto& known) {
      return std::chrono::abs(known.first - offsets[r]) <= kClockGrain;
    });
    if (near == apart.end()) {
      near = apart.emplace(offsets[r], fmt::format("host of rank {}", ranks[r].rank)).first;
      ++added;
    }
    ranks[r].assumed_host = near->second;
    moved.insert(ranks[r].rank);
  }
  if (moved.empty()) return false;
  const bool were_one = std::all_of(identities.begin(), identities.end(),
                                    [&](const RankIdentity& one) { return one.host == identities.front().host; });
  if (were_one) remove_assumption(assembly.assumptions, "hosts");  // that all are on one host
  state_hosts_by_clock(moved, added, offsets, assembly);
  return true;
}

/// Moves all ranks and their events to the clock of the first rank's host. Returns the matched collectives, whose times
/// are those before.
CollectiveMatches align(std::vector<RankTrace>& ranks, const LikeRanks& like, std::vector<RankEvents>& events,
                        Assembly& assembly) {
  std::vector<RankIdentity> identities = identities_of(ranks);
  for (std::size_t r = 0; r < ranks.size() && like.any(); ++r) {
    const LikeRanks::Clock& clock = like.clocks.at(identities[r].host);
    move_earlier(ranks[r].trace, events[r], clock.ahead);
    identities[r].host = clock.of;
  }
  CollectiveMatches matched = match_collectives(events, identities);
  if (separate_clocks(ranks, events, matched.matches, assembly)) {
    identities = identities_of(ranks);
    matched = match_collectives(events, identities);
  }
  std::vector<std::string> hosts;
  const std::vector<std::uint32_t> host = host_indices(identities, hosts);
  const std::vector<MatchedCollective> none;
  HostClocks found =
      align_host_clocks(hosts.size() < 2 ? none : matched.matches, events, hosts, host, world_of(ranks, like));
  check_clocks_connected(hosts, found.tied, ranks, host);
  assembly.clocks = std::move(found.clocks);
  side_by_side(assembly.threads, ranks.size(),
               [&](std::size_t r) { move_earlier(ranks[r].trace, events[r], assembly.clocks[host[r]].offset); });
  return matched;
}

void note_device(Rank rank, const std::string& name, std::optional<std::int64_t> memory, Assembly& assembly) {
  if (!name.empty()) assembly.devices.emplace(rank, name);
  if (memory && *memory > 0 && is_size(*memory)) assembly.device_memory.emplace(rank, Bytes{*memory});
}

/// Adds what is known of the copies of ranks: their hosts, the clocks of these, and their devices.
void add_copies(const LikeRanks& like, const std::vector<RankTrace>& ranks, Assembly& assembly) {
  if (!like.any()) return;
  std::map<std::string, HostClock> of;
  for (const HostClock& clock : assembly.clocks) of.emplace(clock.host, clock);
  assembly.clocks.clear();
  for (const auto& [host, clock] : like.clocks) {
    HostClock made = of.at(clock.of);
    made.host = host;
    made.offset += clock.ahead;
    assembly.clocks.push_back(std::move(made));
  }
  // The reference first.
  std::ranges::stable_sort(assembly.clocks, {}, [&](const HostClock& one) { return one.host != ranks[0].host(); });
  for (const LikeRanks::Copy& copy : like.copies) {
    (void)assembly.builder.add_lane({.name = fmt::format("like rank {}", ranks[copy.original].rank),
                                     .host = copy.host,
                                     .rank = copy.rank,
                                     .device = copy.device});
    note_device(copy.rank, copy.device_name, copy.device_memory, assembly);
  }
}

/// Returns the group of a matched collective, with the copies of its ranks.
Group group_of(const MatchedCollective& match, const std::vector<RankEvents>& events, std::size_t world,
               const LikeRanks& like) {
  Group group = group_of(match, events, world);
  if (like.any()) {
    group.size = static_cast<std::uint32_t>(like.ranks.size());
    group.ranks = like.ranks;
    group.copy_of = like.copy_of;
  }
  return group;
}

/// Adds to assembly.waits_within, for each task, the time by which it took longer than `transfer`. The task was waiting
/// in that time.
void note_internal_waits(const std::vector<TaskId>& tasks, Duration transfer, Assembly& assembly) {
  for (const TaskId task : tasks) {
    const Duration waited = assembly.finish[task.index()] - assembly.start[task.index()] - transfer;
    if (waited > Duration{}) assembly.waits_within.emplace_back(task, waited);
  }
}

/// How many collectives keep their recorded durations under every network model, by reason.
struct Unmodelled {
  std::size_t unsized = 0;  ///< no trace records how much they transfer
  std::size_t absent = 0;   ///< ranks of them are not in the input
  std::size_t not_met = 0;  ///< a part had ended before the last one began
};

/// Turns matched collectives into rendezvous. On a device the shortest part is the transfer, and the rest of each part
/// was waiting, as in the distributed view of PyTorch's TensorBoard plugin (torch-tb-profiler). On hosts each part
/// keeps its recorded time after the last arrival, because TCP delivers the last messages at different times.
///
/// A part that ended before the last arrival is left out of the rendezvous, because it did not wait for all members.
/// If the parts of a rooted collective end at different times, all of them are left out. Their waits become lags,
/// because the capture does not show what they waited for; full buffers are one possible cause.
Unmodelled tie_ranks(const std::vector<MatchedCollective>& matches, const std::vector<RankEvents>& events,
                     std::size_t world, const LikeRanks& like, const std::vector<StitchedRank>& stitched,
                     Assembly& assembly) {
  Unmodelled unmodelled;
  for (const MatchedCollective& match : matches) {
    const Time last = match.last_arrival();
    const Duration transfer = match.shortest();
    std::vector<TaskId> members;
    std::vector<TaskId> left_out;
    for (const CollectiveUse& use : match.uses) {
      const TaskId task = stitched[use.rank].task_of(use);
      if (!task.valid()) continue;
      if (match.apart || assembly.finish[task.index()] <= last) {
        left_out.push_back(task);
      } else {
        members.push_back(task);
      }
    }
    const bool whole = members.size() == match.uses.size();
    const Group group = group_of(match, events, world, like);
    const bool complete = shows_all_members(match, group);
    Collective collective = whole ? payload_of(match, events, group) : Collective{};
    if (collective.op != CollectiveOp::kUnknown && complete) collective.group = assembly.add_group(group, members);
    if (members.size() < 2 && !(collective.group.valid() && group.size > 1)) {
      left_out.insert(left_out.end(), members.begin(), members.end());
      members.clear();
    }
    if (match.rooted && match.on_device()) note_internal_waits(left_out, transfer, assembly);
    if (members.empty()) continue;
    if (collective.bytes == Bytes{} && collective.op != CollectiveOp::kBarrier) {
      const bool sized = records_size(match, events);
      if (!sized) ++unmodelled.unsized;
      if (!complete) ++unmodelled.absent;
      if (sized && complete) ++unmodelled.not_met;
    }
    const RendezvousId rendezvous = assembly.builder.add_rendezvous(collective);
    for (const TaskId task : members) {
      assembly.builder.join(rendezvous, task);
      assembly.builder.set_duration(task, match.on_device() ? transfer : assembly.finish[task.index()] - last);
    }
  }
  return unmodelled;
}

/// States which recordings begin at another collective than the first rank's, which their ends showed.
void state_early_collectives(const std::vector<RankTrace>& ranks, const std::vector<std::int64_t>& early,
                             Assembly& assembly) {
  std::map<std::int64_t, std::set<std::int64_t>> by_number;
  for (std::size_t r = 0; r < early.size(); ++r) {
    if (early[r] != 0) by_number[early[r]].insert(ranks[r].rank);
  }
  for (const auto& [number, of] : by_number) {
    assembly.assumptions.push_back(
        {"early_collectives",
         fmt::format("The recording{} of rank{} {} begin{} {} {} that of rank {}, as the ends of collectives show.",
                     of.size() == 1 ? "" : "s", of.size() == 1 ? "" : "s", ranges_of(of, ", "),
                     of.size() == 1 ? "s" : "", counted(static_cast<std::size_t>(std::abs(number)), "collective"),
                     number > 0 ? "before" : "after", ranks.front().rank)});
  }
}

void state_assumptions(const std::vector<RankTrace>& ranks, const LikeRanks& like, const Unmodelled& unmodelled,
                       Assembly& assembly) {
  const auto modelled =
      std::find_if(ranks.begin(), ranks.end(), [](const RankTrace& rank) { return !rank.trace.modelled.empty(); });
  if (modelled != ranks.end()) {
    assembly.assumptions.push_back(
        {std::string(kModelledTimes),
         fmt::format("No step was measured: stepsim computed the times of {}.", modelled->trace.modelled)});
  }
  const std::size_t world = world_of(ranks, like);
  if (world > ranks.size() + like.copies.size()) {
    assembly.assumptions.push_back(
        {"missing_ranks",
         fmt::format("The input has {} of {} ranks; the others are assumed to arrive at collectives when these do.",
                     ranks.size(), world)});
  }
  if (ranks.size() > 1 && assembly.builder.rendezvous_count() == 0) {
    assembly.assumptions.push_back(
        {"untied_ranks", "No collective connects the ranks, so each is replayed on its own."});
  }
  const auto state = [&](const char* key, std::size_t count, std::string_view why) {
    if (count == 0) return;
    assembly.assumptions.push_back(
        {key, fmt::format("{} of {} collectives {}; they keep their recorded durations under every network model.",
                          count, assembly.builder.rendezvous_count(), why)});
  };
  state("unsized_collectives", unmodelled.unsized, "do not record how much they transfer");
  state("absent_members", unmodelled.absent, "have ranks that are not in the input");
  state("parts_apart", unmodelled.not_met, "have a part that ended before the last one began");
}

/// Reserves memory for one task per device op and two per call (the call and the work before it), and for one edge per
/// task plus one per device op. This avoids copies while vectors grow, and unused reserved memory is never touched.
void reserve_for_tasks(const std::vector<RankEvents>& events, Assembly& assembly) {
  std::size_t pieces = 0;
  std::size_t calls = 0;
  for (const RankEvents& rank : events) {
    pieces += rank.ops.size();
    calls += rank.calls.size();
  }
  const std::size_t tasks = pieces + 2 * calls;
  assembly.builder.reserve(tasks, tasks + pieces);
  assembly.start.reserve(tasks);
  assembly.finish.reserve(tasks);
  assembly.step.reserve(tasks);
}

}  // namespace

void stitch_host_device(std::vector<RankTrace> ranks, Assembly& assembly) {
  std::sort(ranks.begin(), ranks.end(), [](const RankTrace& a, const RankTrace& b) { return a.rank < b.rank; });
  const LikeRanks like = leave_one_of_each(ranks);
  std::size_t rows = 0;
  for (const RankTrace& rank : ranks) rows += rank.trace.size();
  check_task_count(rows);
  resolve_groups(ranks);
  std::vector<RankEvents> events = arrange_all(ranks, assembly.threads);
  adjust_device_clocks(ranks, events, assembly);
  CollectiveMatches found = align(ranks, like, events, assembly);
  const std::vector<RankIdentity> identities = identities_of(ranks);

  for (const RankTrace& rank : ranks) {
    if (!assembly.ranks_of_batch) assembly.ranks_of_batch = rank.trace.ranks_of_batch;
    if (!assembly.samples) assembly.samples = rank.trace.samples;
    note_device(rank.rank, rank.trace.device_name, rank.trace.device_memory, assembly);
  }

  add_copies(like, ranks, assembly);
  reserve_for_tasks(events, assembly);
  std::vector<StitchedRank> stitched;
  stitched.reserve(ranks.size());
  for (std::size_t r = 0; r < ranks.size(); ++r) stitched.push_back(stitch_rank(events[r], identities[r], assembly));
  if (assembly.details != nullptr) {
    for (std::size_t r = 0; r < ranks.size(); ++r)
      add_trace_details(events[r], stitched[r].device, ranks[r].rank, *assembly.details);
  }
  update_times(found.matches, events);
  if (found.unmatched > 0) assembly.diagnostics.count(diagnostic("unmatched_collective"), {}, {}, found.unmatched);
  drop_mismatched(found.matches, events, identities, assembly.diagnostics);
  const Unmodelled unmodelled = tie_ranks(found.matches, events, world_of(ranks, like), like, stitched, assembly);
  state_early_collectives(ranks, found.early, assembly);
  state_assumptions(ranks, like, unmodelled, assembly);
}

}  // namespace stepsim::ingest
