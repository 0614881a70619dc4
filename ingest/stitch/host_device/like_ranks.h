#ifndef STEPSIM_INGEST_STITCH_HOST_DEVICE_LIKE_RANKS_H
#define STEPSIM_INGEST_STITCH_HOST_DEVICE_LIKE_RANKS_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ingest/stitch/host_device/host_device.h"

namespace stepsim::ingest {

/// A job of this many ranks at most keeps the tasks of each rank, even if ranks do the same.
inline constexpr std::size_t kMostRanksApart = 64;

/// The ranks of a job whose traces are alike: only one rank of each class is stitched.
struct LikeRanks {
  /// A rank that does the same at the same time as the one with the place `original` among those that are stitched.
  struct Copy {
    Rank rank = 0;
    std::size_t original = 0;
    std::string host;
    std::string device_name;
    std::optional<std::int64_t> device_memory;
    std::int32_t device = -1;  ///< its accelerator's number; -1 if not known
  };
  std::vector<Copy> copies;            ///< by rank
  std::vector<Rank> ranks;             ///< all ranks of the job, ascending
  std::vector<std::uint32_t> copy_of;  ///< as in Group, for `ranks`
  /// How far the clock of each host is ahead of that of another, as the times of like traces show, and that host.
  struct Clock {
    std::string of;
    Duration ahead{};
  };
  std::map<std::string, Clock> clocks;

  /// True if some ranks are copies.
  [[nodiscard]] bool any() const noexcept { return !copies.empty(); }
};

/// Leaves one rank of each class in `ranks`, the first, with its events at its own times, if the job has more than
/// kMostRanksApart ranks and its ranks are known to do the same at the same time: if all of them take part in all
/// collectives, if there are no messages between two ranks, if the traces name their hosts, and if one clock per host
/// explains all times. Otherwise returns no copies and leaves all ranks with their events. Precondition: `ranks` are
/// sorted by rank. O(events of the classes + ranks log ranks).
[[nodiscard]] LikeRanks leave_one_of_each(std::vector<RankTrace>& ranks);

}  // namespace stepsim::ingest

#endif
