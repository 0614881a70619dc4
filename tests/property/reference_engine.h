#ifndef STEPSIM_TESTS_PROPERTY_REFERENCE_ENGINE_H
#define STEPSIM_TESTS_PROPERTY_REFERENCE_ENGINE_H

#include <optional>

#include "model/job/dag.h"
#include "sim/engine/machine.h"
#include "sim/engine/timeline.h"

namespace stepsim::testing {

/// Implements the rules of sim/engine/engine.h by brute force: at each instant, examines every task again until
/// nothing changes. O(tasks^2) or worse. Shares no code with the engine. Returns nothing if the tasks deadlock.
[[nodiscard]] std::optional<sim::Timeline> reference_replay(const Dag& dag, const sim::Machine& machine);

}  // namespace stepsim::testing

#endif
