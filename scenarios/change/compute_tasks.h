#ifndef STEPSIM_SCENARIOS_CHANGE_COMPUTING_H
#define STEPSIM_SCENARIOS_CHANGE_COMPUTING_H

#include <vector>

#include "scenarios/change/selector.h"

namespace stepsim::scenarios {

/// What a change of compute is for, ascending. A selection that says what (by kind, layer or
/// name) means that, communication apart, which takes the time its network gives it. Any other
/// means what computes: device work and operators; on a rank that shows none, the work of its
/// host threads. Never empty: throws InputError, at the selection, as Selector::select() does.
[[nodiscard]] std::vector<TaskId> computing(const Selector& selector, const Capture& capture);

}  // namespace stepsim::scenarios

#endif
