#ifndef STEPSIM_SIM_ENGINE_COLLECTIVES_ALONE_H
#define STEPSIM_SIM_ENGINE_COLLECTIVES_ALONE_H

#include <vector>

#include "model/base/units.h"
#include "model/cost/network/network.h"
#include "model/job/cluster.h"
#include "model/job/dag.h"

namespace stepsim::sim {

/// What each collective of `dag` takes on `cluster` under `model` if nothing else is on the network: from the last
/// arrival to the end of its last member, by RendezvousId. 0 where replay() would take the recorded durations (unknown
/// payload, too many absent members), and kEndOfTime (model/base/units.h) for more than 146 years.
/// Replays every different collective once. O(members log members) besides. Precondition: model.make is not null.
/// Throws what Machine::set_network() and replay() throw.
[[nodiscard]] std::vector<Duration> collectives_alone(const Dag& dag, const NetworkModel& model,
                                                      const Cluster& cluster);

}  // namespace stepsim::sim

#endif
