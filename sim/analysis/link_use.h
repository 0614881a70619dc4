#ifndef STEPSIM_SIM_ANALYSIS_LINK_USE_H
#define STEPSIM_SIM_ANALYSIS_LINK_USE_H

#include <vector>

#include "model/job/cluster.h"
#include "model/job/recording.h"
#include "sim/engine/timeline.h"

namespace stepsim::sim {

/// How heavily the messages of a replay use a link.
struct LinkUse {
  LinkId link;
  double busy = 0;      ///< share of the replay's length during which a message crosses the link
  Duration queueing{};  ///< extra time of the messages that cross it, compared with each message alone; summed
};

/// Returns the use of each link, indexed by LinkId. `timeline` is a replay of capture.dag on `cluster`. Messages are
/// the tasks on lanes with endpoints; messages of collectives are not counted. Sent alone, a message would take the
/// latency of its route plus its bytes divided by the goodput of the slowest link. O(messages log messages).
[[nodiscard]] std::vector<LinkUse> link_use(const Capture& capture, const Timeline& timeline, const Cluster& cluster);

}  // namespace stepsim::sim

#endif
