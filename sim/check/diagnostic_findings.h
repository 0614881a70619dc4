#ifndef STEPSIM_SIM_CHECK_DIAGNOSTIC_FINDINGS_H
#define STEPSIM_SIM_CHECK_DIAGNOSTIC_FINDINGS_H

#include <vector>

#include "sim/check/checkup.h"

namespace stepsim::sim {

/// What reading and joining the files had to report, each diagnostic with its cost. Those that say that nothing is lost
/// are left out, and so are those that a finding of another source sums up.
[[nodiscard]] std::vector<Finding> diagnostic_findings(const Examined& examined);

}  // namespace stepsim::sim

#endif
