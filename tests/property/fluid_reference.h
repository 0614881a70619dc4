#ifndef STEPSIM_TESTS_PROPERTY_FLUID_REFERENCE_H
#define STEPSIM_TESTS_PROPERTY_FLUID_REFERENCE_H

#include <vector>

#include "model/job/cluster.h"
#include "model/job/dag.h"

namespace stepsim::testing {

struct FluidEnds {
  std::vector<Time> finish;  ///< by task
  /// Until this time every end was clear. At an unclear end, a ten thousandth of a byte more or less would give
  /// another nanosecond, so another program may correctly find that one, and its later ends may also differ.
  Time clear_until = Time::max();
};

/// Returns when each task of `dag` ends if messages (tasks on lanes with endpoints) share the links of `cluster` as
/// docs/internals/models.md ("Network models", "Sharing") defines `maxmin`. This is the simplest computation: every
/// message separately, all rates recomputed by water filling at each instant, long doubles. The only state is which
/// senders are in which queues. Shares no code with the model and the engine.
///
/// A sender joins a queue when its message is handed over, before overhead and latency. Bytes move for whole
/// nanoseconds: a message leaves at the nanosecond nearest to its last byte. Precondition: no rendezvous; a lane whose
/// order is not LaneOrder::kEdges has at most one task, and latency then comes last.
///
/// O(instants * (links * channels + messages in transit)).
[[nodiscard]] FluidEnds fluid_ends(const Dag& dag, const Cluster& cluster);

}  // namespace stepsim::testing

#endif
