#ifndef STEPSIM_MODEL_COST_NETWORK_TRANSFERS_H
#define STEPSIM_MODEL_COST_NETWORK_TRANSFERS_H

#include <cstddef>

#include "model/cost/network/network.h"
#include "model/job/recording.h"

/// What of a capture's communication a network model can time. Each is O(tasks + members).
namespace stepsim {

/// Whether links decide anything of the job: it has messages between endpoints, or collectives of
/// several ranks that say what they transfer. A change of the network moves nothing else.
[[nodiscard]] bool uses_links(const Capture& capture);
/// Whether it has such collectives other than messages of one rank to another.
[[nodiscard]] bool has_sized_collectives(const Capture& capture);

/// Whether `task` is part of a collective that takes as long as it did when recorded, under any
/// network model: what it transfers is not known, or too many of its members are missing.
/// Not what the GPUs of one worker of a parameter-server job do among themselves. O(1).
[[nodiscard]] bool keeps_recorded_time(const Capture& capture, TaskId task, const NetworkModel& network);

/// How many collectives the capture holds of which other ranks' parts are missing.
[[nodiscard]] std::size_t lone_collectives(const Capture& capture);

}  // namespace stepsim

#endif
