#ifndef STEPSIM_INGEST_STITCH_HOST_DEVICE_COLLECTIVES_H
#define STEPSIM_INGEST_STITCH_HOST_DEVICE_COLLECTIVES_H

#include <cstdint>
#include <string>
#include <vector>

#include "ingest/stitch/host_device/rank_events.h"
#include "model/base/diagnostics.h"
#include "model/job/recording.h"

namespace stepsim::ingest {

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

/// Drops the matches whose parts do not end together on aligned clocks: they are not the same collective.
/// Names the first eight in `diagnostics`. If these are more than a fifth, the ranks do not belong to one
/// run, and all matches are dropped. Kernels may end within 500 us of each other, or a fifth of the
/// shortest part; parts on hosts within 5 ms, or the length of the shortest part.
void drop_mismatched(std::vector<MatchedCollective>& matches, const std::vector<RankEvents>& ranks,
                     const std::vector<RankIdentity>& identities, Diagnostics& diagnostics);

}  // namespace stepsim::ingest

#endif
