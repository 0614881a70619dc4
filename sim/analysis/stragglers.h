#ifndef STEPSIM_SIM_ANALYSIS_STRAGGLERS_H
#define STEPSIM_SIM_ANALYSIS_STRAGGLERS_H

#include <cstddef>
#include <vector>

#include "model/job/dag.h"
#include "sim/engine/timeline.h"

namespace stepsim::sim {

/// What a rank cost the others: for each collective in which it arrived last, how long the others had
/// waited for it. Ranks that arrive last at the same nanosecond share that; if all do, nobody held anybody up.
struct Straggler {
  Rank rank = 0;
  Duration each{};              ///< waiting of one of the others, on average, summed over collectives
  std::size_t last_in = 0;      ///< collectives of several ranks in which it was last
  std::size_t collectives = 0;  ///< collectives of several ranks that it took part in
};

/// Every rank that takes part in a collective of several ranks, the costliest first.
[[nodiscard]] std::vector<Straggler> stragglers(const Dag& dag, const Timeline& timeline);

}  // namespace stepsim::sim

#endif
