#ifndef STEPSIM_INGEST_STITCH_HOST_DEVICE_COLLECTIVES_H
#define STEPSIM_INGEST_STITCH_HOST_DEVICE_COLLECTIVES_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/stitch/host_device/rank_events.h"
#include "model/base/diagnostics.h"
#include "model/job/collective.h"
#include "model/job/recording.h"

namespace stepsim::ingest {

/// No job has more ranks than this. A trace that names more is damaged.
inline constexpr std::size_t kMostMembers = 100'000;

/// One rank's part of a collective: a device kernel or a host call.
struct CollectiveUse {
  std::uint32_t rank = 0;       ///< index into the job's ranks, not the rank number
  std::uint32_t event = 0;      ///< index of the event in that rank's trace
  std::uint32_t op = kNoIndex;  ///< index into RankEvents::ops for a device collective
  Time begin;
  Time end;
  std::string key;              ///< equal for all parts of one collective, on all ranks
  bool point_to_point = false;  ///< a send or a receive
  bool numbered = false;        ///< true if `key` has a sequence number that all ranks count alike
  /// The event that gives the operation and its size: `event`, or the framework's host annotation around its launch
  /// ("nccl:all_reduce"). Old versions of PyTorch record shapes only in the annotation.
  std::uint32_t described_by = kNoIndex;

  /// True for a kernel of a collective that has no sequence number. Messages do not count.
  [[nodiscard]] bool is_unnumbered_kernel() const noexcept { return op != kNoIndex && !numbered && !point_to_point; }
};

/// The parts of one collective on the ranks whose traces were read.
struct MatchedCollective {
  std::vector<CollectiveUse> uses;  ///< by rank: at least two, or one if only one rank was read
  bool rooted = false;              ///< result of is_rooted(); set by drop_mismatched()
  bool apart = false;               ///< true for a rooted operation whose parts end at different times
  [[nodiscard]] bool on_device() const noexcept { return uses.front().op != kNoIndex; }
  [[nodiscard]] bool point_to_point() const noexcept { return uses.front().point_to_point; }
  /// Returns the time from the earliest recorded end to the latest. Only useful if the clocks are aligned.
  [[nodiscard]] Duration end_spread() const noexcept;
  /// Returns the length of the shortest part.
  [[nodiscard]] Duration shortest() const noexcept;
  /// Returns the latest recorded begin.
  [[nodiscard]] Time last_arrival() const noexcept;
};

/// A rank's number, and the host on whose clock it was recorded.
struct RankIdentity {
  Rank rank = 0;
  std::string host;  ///< empty if the trace does not name it
};

/// Returns how many collectives of a group each rank recorded before the first one of the group's first rank, if the
/// recordings of the ranks begin at different collectives; negative if its recording begins later. Empty if they begin
/// at the same one, or if that is not certain.
///
/// Looks at kernels without sequence numbers. If more than a few of those that the usual rule matches end apart, or it
/// matches less than half of them, the number is the only one for which at least three collectives, and half of those
/// of the shorter recording, have the same operations and sizes in the same order, and nearly all of them end together.
/// On different hosts, or if no host is known, the ends may differ by the same time. If several numbers fit, or none
/// does for some rank, the result is empty. Only the sixteen numbers are tried for which most pairs of a sample end
/// together and the clocks differ least; if more numbers fit the sample, only ranks of one clock have a result.
/// O(collectives log collectives).
[[nodiscard]] std::vector<std::int64_t> early_collectives(const std::vector<std::vector<CollectiveUse>>& uses,
                                                          const std::vector<RankEvents>& ranks,
                                                          const std::vector<RankIdentity>& identities);

/// The result of match_collectives().
struct CollectiveMatches {
  std::vector<MatchedCollective> matches;
  std::vector<std::int64_t> early;  ///< by rank; result of early_collectives()
  std::uint64_t unmatched = 0;      ///< parts without a counterpart on another rank, which are left out
};

/// Finds the collectives of all ranks and matches them, in the order of their begins. They are matched by group,
/// operation and sequence number if the trace has such numbers (the k-th with the k-th if a number occurs again), else,
/// and messages always, as the k-th with the same operation, size, type and group in a step. If the recordings begin at
/// different collectives (early_collectives()), kernels without numbers are counted from the first rank's first one.
/// If only one rank was read, all of its collectives are returned. `ranks` and `identities` have the same order.
/// O(events log events).
[[nodiscard]] CollectiveMatches match_collectives(const std::vector<RankEvents>& ranks,
                                                  const std::vector<RankIdentity>& identities);

/// Gives matched collectives the times of the ranks' events again, after these were moved, and sorts them by them.
void update_times(std::vector<MatchedCollective>& matches, const std::vector<RankEvents>& ranks);

/// The clocks of a job's hosts.
struct HostClocks {
  std::vector<HostClock> clocks;  ///< by host
  std::vector<bool> tied;         ///< by host: true if collectives or messages connect it to the first host
};

/// Computes one offset for each host from collectives and messages between hosts, on the clocks as recorded. For two
/// hosts, only the strongest kind of connection is used:
///
/// * Kernels of a collective that is not rooted end together: the difference of the clocks is the median difference of
///   the ends.
/// * Collectives and messages on hosts end at different times, because TCP may still have data to deliver. But no cause
///   comes after its effect, and a transfer takes a minimum time; this bounds the difference of the clocks from both
///   sides. The difference is the median difference of the ends if the bounds allow it, else the middle of the bounds.
///   A message has no common end, so its difference is always the middle of the bounds (as in NTP, the fastest messages
///   in both directions count; RFC 5905, clock filter).
///
/// The residual of a clock is the sum of the uncertainties along the shortest path of host pairs to the first host
/// (clocks.h). For two hosts that are connected only by transfers on hosts, the uncertainty is the range that the
/// bounds allow, like half of the round trip in NTP: a link that is slower in one direction delays all ends equally,
/// and no trace shows that. For two hosts that are connected by kernels, the uncertainty is the range of the
/// differences of the ends. Even after the offsets are applied, the ends of a collective or message on two hosts
/// differ. The spread of a clock is the largest such difference between its host and a host with which it was compared.
///
/// `host_of_rank` gives the host of each of `ranks`; `world` is the number of ranks in the job. O(parts log parts +
/// hosts * pairs of hosts), plus the solver.
[[nodiscard]] HostClocks align_host_clocks(const std::vector<MatchedCollective>& matches,
                                           const std::vector<RankEvents>& ranks, const std::vector<std::string>& hosts,
                                           const std::vector<std::uint32_t>& host_of_rank, std::size_t world);

/// Returns how far apart the kernels of one collective may end: 500 us, or a fifth of the shortest part if that is
/// more.
[[nodiscard]] Duration kernel_end_tolerance(Duration shortest) noexcept;

/// Returns true for operations with one source or one destination: broadcast, reduce, gather, scatter. In these, a
/// member that only sends may end before others begin, as soon as its data is in the transport's buffers.
[[nodiscard]] bool is_rooted(const MatchedCollective& match, const std::vector<RankEvents>& ranks);

/// Returns how far the clock of each rank is ahead of that of the first rank on its host, if the ends of their kernels
/// show that these ranks are on different hosts: if the kernels of at least three collectives, which end together, end
/// apart by more than clocks of one host can differ, and all by the same time. Otherwise 0. Rooted operations and
/// messages do not count. O(parts).
[[nodiscard]] std::vector<Duration> constant_offsets(const std::vector<MatchedCollective>& matches,
                                                     const std::vector<RankEvents>& ranks,
                                                     const std::vector<RankIdentity>& identities);

/// Drops matches whose parts do not end together on aligned clocks, because they are not the same collective. Names the
/// first eight in `diagnostics`. If more than a fifth is dropped, the ranks do not belong to one run, and all matches
/// are dropped.
///
/// Kernels may end up to 500 us apart, or a fifth of the shortest part if that is more; parts on hosts up to 5 ms, or
/// the length of the shortest part. Rooted operations are kept even if their ends differ, because different ends are
/// normal for them. They are marked and counted, and do not count toward the fifth.
void drop_mismatched(std::vector<MatchedCollective>& matches, const std::vector<RankEvents>& ranks,
                     const std::vector<RankIdentity>& identities, Diagnostics& diagnostics);

/// Returns the ranks that take part in a matched collective: those of its group, as many as the group has if they are
/// not known, or `world` ranks if it has no group.
[[nodiscard]] Group group_of(const MatchedCollective& match, const std::vector<RankEvents>& ranks, std::size_t world);

/// True if the parts that were read show what all members do: if they are those of all members, if the group lists the
/// ranks of the others, or if only one part was read, which then stands for all.
[[nodiscard]] bool shows_all_members(const MatchedCollective& match, const Group& group) noexcept;

/// True if a trace records the operation of a collective and how much it transfers.
[[nodiscard]] bool records_size(const MatchedCollective& match, const std::vector<RankEvents>& ranks);

/// Returns what a matched collective transfers, as far as the traces show: the operation, the size, the model for its
/// kernels and, for a message, which of the two ranks is the sender.
///
/// The size is 0 if no trace gives it, if the operation is unknown, or if shows_all_members() is false. If the size is
/// 0, network models keep the recorded durations.
[[nodiscard]] Collective payload_of(const MatchedCollective& match, const std::vector<RankEvents>& ranks,
                                    const Group& group);

}  // namespace stepsim::ingest

#endif
