#ifndef STEPSIM_TESTS_PROPERTY_FLUID_REFERENCE_H
#define STEPSIM_TESTS_PROPERTY_FLUID_REFERENCE_H

#include <vector>

#include "model/job/cluster.h"
#include "model/job/dag.h"

namespace stepsim::testing {

struct FluidEnds {
  std::vector<Time> finish;  ///< by task
  /// Up to here every end was clear. Where a ten thousandth of a byte would have moved one to another nanosecond,
  /// another program may rightly have found that one, and then later ends may be others too.
  Time clear_until = Time::max();
};

/// When each task of `dag` ends if messages (tasks on lanes with endpoints) share the links of `cluster` as `maxmin`
/// says in docs/models.md ("Network models", "Sharing"), in the simplest way: every message by itself, all rates again
/// by a water filling at each instant, long doubles. Nothing is kept but who stands in the queues. Shares no code with
/// the model and the engine.
///
/// A sender joins a queue when its message is handed over, before overhead and latency. Bytes move for whole
/// nanoseconds: a message has left at the nanosecond nearest to its last byte. Precondition: no rendezvous; a lane that
/// is not of LaneOrder::kEdges has one task at most, and latency then comes last.
///
/// O(instants * (links * channels + messages under way)).
[[nodiscard]] FluidEnds fluid_ends(const Dag& dag, const Cluster& cluster);

}  // namespace stepsim::testing

#endif
