#ifndef STEPSIM_SIM_ENGINE_EVENT_REPLAY_H
#define STEPSIM_SIM_ENGINE_EVENT_REPLAY_H

#include <cstddef>
#include <span>

#include "sim/engine/replay_state.h"

namespace stepsim::sim {

/// The part of a replay that follows from `sources` (tasks without predecessors, ascending), by
/// events in order of time: for dags with queues or contention. Returns how many tasks ended;
/// fewer than there are means that the others wait for each other. With `reports_progress` it calls
/// EngineOptions::progress.
/// Throws Interrupted.
std::size_t replay_events(ReplayState& state, std::span<const TaskId> sources, bool reports_progress);

}  // namespace stepsim::sim

#endif
