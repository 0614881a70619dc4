#ifndef STEPSIM_MODEL_JOB_RANK_PLACES_H
#define STEPSIM_MODEL_JOB_RANK_PLACES_H

#include <optional>
#include <set>
#include <string>

#include "model/base/assumption.h"
#include "model/job/cluster.h"
#include "model/job/dag.h"
#include "model/job/recording.h"

namespace stepsim {

/// Returns the names of the hosts on which the captured ranks ran; nothing if the capture does not say. Ranks whose
/// traces name no host share one with an empty name if its reader has assumed so (assumption "hosts").
[[nodiscard]] std::optional<std::set<std::string>> known_hosts(const Capture& capture);

/// Puts the captured ranks on the hosts and devices on which the capture says they ran: ranks of one host stay on one
/// host, on the devices with the recorded numbers, and a host of the cluster that has the name of a captured one takes
/// its ranks. All other ranks fill the remaining devices in order. `cluster` changes only if its own order (host by
/// host, rank r on device r) differs from that.
///
/// Keeps the cluster's own order if the capture does not say on which hosts its ranks ran, if its hosts or their ranks
/// do not fit the cluster, or if the file lists endpoints in another order or was described link by link. Returns the
/// assumption "rank_places", which states where the ranks are; nothing if only one rank was captured or the file lists
/// the endpoints. O((ranks + endpoints) log endpoints).
[[nodiscard]] Assumptions place_as_captured(const Dag& dag, Cluster& cluster);

}  // namespace stepsim

#endif
