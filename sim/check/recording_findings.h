#ifndef STEPSIM_SIM_CHECK_RECORDING_FINDINGS_H
#define STEPSIM_SIM_CHECK_RECORDING_FINDINGS_H

#include <vector>

#include "sim/check/checkup.h"

namespace stepsim::sim {

/// What host and device events would have shown, had they been recorded: steps, shapes, waits, sizes, ranks.
[[nodiscard]] std::vector<Finding> recording_findings(const Examined& examined);

}  // namespace stepsim::sim

#endif
