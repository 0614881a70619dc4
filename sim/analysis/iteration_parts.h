#ifndef STEPSIM_SIM_ANALYSIS_ITERATION_PARTS_H
#define STEPSIM_SIM_ANALYSIS_ITERATION_PARTS_H

#include "model/job/dag.h"
#include "sim/analysis/rank_steps.h"
#include "sim/engine/timeline.h"

namespace stepsim::sim {

/// A rank's iteration cut into disjoint parts, the mean of the middle half of its steps by their time, so that one odd
/// step moves nothing. A part is the time in which its work runs and none of a part above it here does.
struct IterationParts {
  Rank rank = 0;
  Duration compute{};
  Duration communication{};    ///< while no compute runs
  Duration copies{};           ///< while neither runs
  Duration collective_wait{};  ///< in a collective before its last member arrived, and nothing of the above
  Duration host{};             ///< host work alone
  Duration idle{};             ///< none of the above

  [[nodiscard]] Duration sum() const noexcept {
    return compute + communication + copies + collective_wait + host + idle;
  }
};

/// Of `rank`, whose steps are `steps`; without steps of its whole window. They sum to the mean of those steps, which
/// differs from the median a little. Precondition: `timeline` is of `dag`, `steps` of `timeline`.
/// O(tasks + tasks of the rank * log).
[[nodiscard]] IterationParts iteration_parts(const Dag& dag, const Timeline& timeline, Rank rank,
                                             const RankSteps& steps);

}  // namespace stepsim::sim

#endif
