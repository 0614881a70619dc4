#ifndef STEPSIM_SIM_REPORT_LINK_USE_H
#define STEPSIM_SIM_REPORT_LINK_USE_H

#include <vector>

#include "model/job/cluster.h"
#include "model/job/recording.h"
#include "sim/engine/timeline.h"

namespace stepsim::sim {

/// What the messages of a replay make of a link.
struct LinkUse {
  LinkId link;
  double busy = 0;      ///< of the replay's length, during which a message crosses it
  Duration queueing{};  ///< what messages take beyond their time alone, summed over those that cross it
};

/// By link, of a replay of capture.dag on `cluster`. Messages are the tasks on lanes with endpoints;
/// those that collectives send are not seen. The time of a message alone: its route's latency, and
/// its bytes by the narrowest link. O(messages log messages).
[[nodiscard]] std::vector<LinkUse> link_use(const Capture& capture, const Timeline& timeline, const Cluster& cluster);

}  // namespace stepsim::sim

#endif
