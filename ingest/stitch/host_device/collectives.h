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
  std::string key;  ///< what matches over ranks, the occurrence included
  bool point_to_point = false;
  /// The event that tells what it does and transfers: itself, or the framework's "nccl:all_reduce"
  /// on the host around its launch, which has had shapes for longer than kernels have had sizes.
  std::uint32_t told_by = kNoIndex;
};

/// The parts of one collective on the ranks at hand.
struct MatchedCollective {
  std::vector<CollectiveUse> uses;  ///< at least two, by rank; of the only rank at hand, one
  [[nodiscard]] bool on_device() const noexcept { return uses.front().op != kNoIndex; }
  [[nodiscard]] bool point_to_point() const noexcept { return uses.front().point_to_point; }
  /// Latest less earliest recorded end, on the clocks the uses are on.
  [[nodiscard]] Duration end_spread() const noexcept;
  [[nodiscard]] Duration shortest() const noexcept;
  [[nodiscard]] Time last_arrival() const noexcept;
};

/// What a job's ranks are called and which clock each was recorded on.
struct RankIdentity {
  Rank rank = 0;
  std::string host;  ///< empty if the trace does not say
};

/// Finds the collectives of all ranks and matches them: by group and sequence number where
/// the trace has one, else as the k-th of the same operation, size, type and group within the
/// same step. Those of a rank that is alone match nobody's and are all returned. `ranks` and
/// `identities` run in parallel. O(collectives log collectives).
[[nodiscard]] std::vector<MatchedCollective> match_collectives(const std::vector<RankEvents>& ranks,
                                                               const std::vector<RankIdentity>& identities,
                                                               Diagnostics& diagnostics);

/// Drops the matches whose parts do not end together (on aligned clocks): they are not the
/// same collective. Names them in `diagnostics`. If more than a fifth disagree, the ranks do
/// not belong to one run, and all matches are dropped.
void drop_mismatched(std::vector<MatchedCollective>& matches, const std::vector<RankEvents>& ranks,
                     const std::vector<RankIdentity>& identities, Diagnostics& diagnostics);

}  // namespace stepsim::ingest

#endif
