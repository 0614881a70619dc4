#ifndef STEPSIM_INGEST_STITCH_HOST_DEVICE_COLLECTIVES_H
#define STEPSIM_INGEST_STITCH_HOST_DEVICE_COLLECTIVES_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ingest/stitch/host_device/rank_events.h"
#include "model/base/diagnostics.h"
#include "model/job/collective.h"
#include "model/job/recording.h"

namespace stepsim::ingest {

/// No job has more ranks than this. A trace that says so is damaged.
inline constexpr std::size_t kMostMembers = 100'000;

/// One rank's part of a collective: a device kernel or a host call.
struct CollectiveUse {
  std::uint32_t rank = 0;       ///< index into the job's ranks, not the rank number
  std::uint32_t event = 0;      ///< in that rank's trace
  std::uint32_t op = kNoIndex;  ///< index into RankEvents::ops for a device collective
  Time begin;
  Time end;
  std::string key;              ///< equal for the parts of one collective on all ranks
  bool point_to_point = false;  ///< a send or a receive
  /// The event that says what is done and how much is transferred: `event`, or the framework's annotation
  /// around its launch on the host ("nccl:all_reduce"). PyTorch recorded shapes there before it recorded
  /// sizes of kernels.
  std::uint32_t described_by = kNoIndex;
};

/// The parts of one collective on the ranks whose traces were read.
struct MatchedCollective {
  std::vector<CollectiveUse> uses;  ///< by rank: at least two, or one if only one rank was read
  bool rooted = false;              ///< is_rooted(), as drop_mismatched() found it
  bool apart = false;               ///< its parts do not end together, and need not
  [[nodiscard]] bool on_device() const noexcept { return uses.front().op != kNoIndex; }
  [[nodiscard]] bool point_to_point() const noexcept { return uses.front().point_to_point; }
  /// From the earliest recorded end to the latest. Meaningful if the clocks are aligned.
  [[nodiscard]] Duration end_spread() const noexcept;
  /// The length of the shortest part.
  [[nodiscard]] Duration shortest() const noexcept;
  /// The latest recorded begin.
  [[nodiscard]] Time last_arrival() const noexcept;
};

/// The number of a rank, and the host on whose clock it was recorded.
struct RankIdentity {
  Rank rank = 0;
  std::string host;  ///< empty if the trace does not name it
};

/// Finds the collectives of all ranks and matches them, in the order of their begins: by group and
/// sequence number where the trace has one, else as the k-th of one operation, size, type and group in
/// one step. Those that no other rank has are counted in `diagnostics` and left out; if only one rank
/// was read, all of its collectives are returned. `ranks` and `identities` have the same order.
/// O(events log events).
[[nodiscard]] std::vector<MatchedCollective> match_collectives(const std::vector<RankEvents>& ranks,
                                                               const std::vector<RankIdentity>& identities,
                                                               Diagnostics& diagnostics);

/// The clocks of a job's hosts.
struct HostClocks {
  std::vector<HostClock> clocks;  ///< by host
  std::vector<bool> tied;         ///< by host: collectives or messages tie it to the first one
};

/// Finds one offset for each host from what ties it to others, on the clocks as recorded. For two hosts only their
/// strongest tie counts:
///
/// * Kernels of a collective that is not rooted end together: the median difference of the ends.
/// * Collectives and messages on hosts end apart, by what TCP still has to deliver. Causes come before their
///   effects, which bounds the difference from both sides, and so does the time that the transfer takes at least.
///   The median difference of the ends is taken where these bounds allow it, else their middle. A message has no
///   common end: the middle (as in NTP, the quickest messages of both directions count; RFC 5905, clock filter).
///
/// A residual is what the pairs leave open, summed over the shortest way to the first host (clocks.h). On hosts that is
/// as far as causes allow, as NTP's half of a round trip is: links that are slower in one direction make all ends late
/// alike, and nothing in the traces would show it. On devices it is the range of the ends. A spread is the largest
/// disagreement of the host's ends. `host_of_rank` has the host of each of `ranks`; `world` is the number of the job's
/// ranks. O(parts log parts + hosts * pairs of hosts), besides the solver.
[[nodiscard]] HostClocks align_host_clocks(const std::vector<MatchedCollective>& matches,
                                           const std::vector<RankEvents>& ranks, const std::vector<std::string>& hosts,
                                           const std::vector<std::uint32_t>& host_of_rank, std::size_t world);

/// True for operations with one source or one destination: broadcast, reduce, gather, scatter. A member that only sends
/// may end before others begin, as soon as what it sends is in the transport's buffers.
[[nodiscard]] bool is_rooted(const MatchedCollective& match, const std::vector<RankEvents>& ranks);

/// Drops the matches whose parts do not end together on aligned clocks: they are not the same collective.
/// Names the first eight in `diagnostics`. If these are more than a fifth, the ranks do not belong to one
/// run, and all matches are dropped. Kernels may end within 500 us of each other, or a fifth of the
/// shortest part; parts on hosts within 5 ms, or the length of the shortest part. Rooted operations that do not end
/// together prove nothing: they are marked, counted, and not among that fifth.
void drop_mismatched(std::vector<MatchedCollective>& matches, const std::vector<RankEvents>& ranks,
                     const std::vector<RankIdentity>& identities, Diagnostics& diagnostics);

/// What a matched collective transfers, as far as the traces say: operation, size, the algorithm that is
/// in a kernel's name, and of a message which of the two is the sender.
///
/// The size is 0 where nothing says it, or where members are missing: some of the ranks that its group
/// lists, or of the job's `world` ranks. Network models then keep the recorded durations. If only one rank
/// was read, its part stands for the parts of all members.
[[nodiscard]] Collective payload_of(const MatchedCollective& match, const std::vector<RankEvents>& ranks,
                                    std::size_t world);

}  // namespace stepsim::ingest

#endif
