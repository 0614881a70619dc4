#ifndef STEPSIM_SIM_ANALYSIS_PAUSES_H
#define STEPSIM_SIM_ANALYSIS_PAUSES_H

#include <cstddef>
#include <vector>

#include "model/job/recording.h"

namespace stepsim::sim {

/// The pauses of a rank (Recording::pauses) in its captured steps.
struct RankPauses {
  Rank rank = 0;
  std::size_t count = 0;
  Duration time{};                              ///< of the pauses, summed over the rank's threads
  Duration recorded{};                          ///< from the first start to the last end of its tasks in these steps
  [[nodiscard]] double share() const noexcept;  ///< of `recorded`, at most 1
};

/// Returns the ranks with pauses, the one with the largest share first. O(tasks).
[[nodiscard]] std::vector<RankPauses> pauses_of(const Capture& capture);

/// Returns the largest share of the ranks; 0 without pauses. O(tasks), or O(1) without pauses.
[[nodiscard]] double worst_share_of_pauses(const Capture& capture);

/// From this share of a rank's steps, pauses matter to answers about the capture.
inline constexpr double kManyPauses = 0.05;

}  // namespace stepsim::sim

#endif
