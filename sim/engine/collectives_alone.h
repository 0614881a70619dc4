#ifndef STEPSIM_SIM_ENGINE_COLLECTIVES_ALONE_H
#define STEPSIM_SIM_ENGINE_COLLECTIVES_ALONE_H

#include <vector>

#include "model/base/units.h"
#include "model/cost/network/network.h"
#include "model/job/cluster.h"
#include "model/job/dag.h"

namespace stepsim::sim {

/// Returns, by RendezvousId, how long each collective of `dag` takes on `cluster` under `model` with nothing else on
/// the network: from its last arrival to the end of its last member. Returns 0 where replay() would use the recorded
/// durations (unknown payload, too many absent members), and kEndOfTime (model/base/units.h) for more than 146 years.
///
/// Replays each distinct collective once, plus O(members log members). Precondition: model.make is not null. Throws
/// what Machine::set_network() and replay() throw.
[[nodiscard]] std::vector<Duration> collectives_alone(const Dag& dag, const NetworkModel& model,
                                                      const Cluster& cluster);

}  // namespace stepsim::sim

#endif
