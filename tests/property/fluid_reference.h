#ifndef STEPSIM_TESTS_PROPERTY_FLUID_REFERENCE_H
#define STEPSIM_TESTS_PROPERTY_FLUID_REFERENCE_H

#include <vector>

#include "model/job/cluster.h"
#include "model/job/dag.h"

namespace stepsim::testing {

struct FluidEnds {
  std::vector<Time> finish;  ///< by task
  /// All ends up to this time are clear: rounding cannot move them to another nanosecond. An end is unclear if a ten
  /// thousandth of a byte more or less would move it to another nanosecond. A correct model may find that other
  /// nanosecond, and different ends after it.
  Time clear_until = Time::max();
};

/// Returns when each task of `dag` ends if messages (tasks on lanes with endpoints) share the links of `cluster` as
/// docs/internals/models.md ("Network models", "Sharing") defines `maxmin`. The computation is the simplest possible
/// one: it moves every message separately, in long doubles, and recomputes all rates by water filling at each instant.
/// It shares no code with the model and the engine.
///
/// A sender joins a queue when its message is handed over, before overhead and latency. Bytes move for whole
/// nanoseconds: a message leaves at the nanosecond nearest to its last byte. Precondition: there are no rendezvous, and
/// a lane whose order is not LaneOrder::kEdges has at most one task. The latency of a message on such a lane comes
/// after its bytes.
///
/// O(instants * (links * channels + messages in transit)).
[[nodiscard]] FluidEnds fluid_ends(const Dag& dag, const Cluster& cluster);

}  // namespace stepsim::testing

#endif
