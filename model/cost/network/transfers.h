#ifndef STEPSIM_MODEL_COST_NETWORK_TRANSFERS_H
#define STEPSIM_MODEL_COST_NETWORK_TRANSFERS_H

#include <cstddef>

#include "model/cost/network/network.h"
#include "model/job/recording.h"

/// What of a capture's communication a network model can time. Each is O(tasks + members).
namespace stepsim {

/// Whether links affect the job: it has messages between endpoints, or collectives of several ranks
/// whose payload is known. A change of the network changes nothing else.
[[nodiscard]] bool uses_links(const Capture& capture);
/// Whether it has such collectives, other than messages from one rank to another.
[[nodiscard]] bool has_sized_collectives(const Capture& capture);

/// Whether `task` is part of a collective that takes as long as it was recorded to take, under any
/// network model: its payload is not known, or too many of its members are missing. False for what
/// the GPUs of one worker of a parameter-server job do among themselves. O(1).
[[nodiscard]] bool keeps_recorded_time(const Capture& capture, TaskId task, const NetworkModel& network);

/// How many collectives of the capture lack the parts of other ranks.
[[nodiscard]] std::size_t lone_collectives(const Capture& capture);

}  // namespace stepsim

#endif
