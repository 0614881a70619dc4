#ifndef STEPSIM_MODEL_COST_NETWORK_TRANSFERS_H
#define STEPSIM_MODEL_COST_NETWORK_TRANSFERS_H

#include <cstddef>

#include "model/cost/network/network.h"
#include "model/job/recording.h"

/// Functions that determine which communication of a capture a network model can time. Each is O(tasks + members).
namespace stepsim {

/// True if links affect the job: it has messages between endpoints, or collectives of several ranks with known payload.
/// A change of the network affects nothing else.
[[nodiscard]] bool uses_links(const Capture& capture);
/// True if the capture has collectives of several ranks with known payload, not counting messages from one rank to
/// another.
[[nodiscard]] bool has_sized_collectives(const Capture& capture);

/// True if `task` is part of a collective that keeps its recorded duration under every network model, because its
/// payload is not known or too many of its members are missing. False for collectives between the GPUs of one worker of
/// a parameter-server job. O(1).
[[nodiscard]] bool keeps_recorded_time(const Capture& capture, TaskId task, const NetworkModel& network);

/// Returns how many collectives of the capture lack the parts of other ranks.
[[nodiscard]] std::size_t lone_collectives(const Capture& capture);

}  // namespace stepsim

#endif
