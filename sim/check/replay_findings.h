#ifndef STEPSIM_SIM_CHECK_REPLAY_FINDINGS_H
#define STEPSIM_SIM_CHECK_REPLAY_FINDINGS_H

#include <vector>

#include "sim/check/checkup.h"

namespace stepsim::sim {

/// What the replay shows: how far it is off, and how much of it rests on no known dependency.
[[nodiscard]] std::vector<Finding> replay_findings(const Examined& examined);

}  // namespace stepsim::sim

#endif
