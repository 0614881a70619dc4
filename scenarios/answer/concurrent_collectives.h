#ifndef STEPSIM_SCENARIOS_ANSWER_CONCURRENT_COLLECTIVES_H
#define STEPSIM_SCENARIOS_ANSWER_CONCURRENT_COLLECTIVES_H

#include "model/base/units.h"
#include "model/job/dag.h"
#include "sim/engine/timeline.h"

namespace stepsim::scenarios {

/// How the collectives of ranks' pools of threads share their time: those that a library carries out several at once,
/// as gloo does.
struct PooledCollectives {
  Duration busy{};        ///< at least one runs, over all pools
  Duration concurrent{};  ///< what they take together beyond that: each second in which two run counts one
};

/// Of a replay. O(tasks log tasks).
[[nodiscard]] PooledCollectives pooled_collectives(const Dag& dag, const sim::Timeline& timeline);

}  // namespace stepsim::scenarios

#endif
