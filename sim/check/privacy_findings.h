#ifndef STEPSIM_SIM_CHECK_PRIVACY_FINDINGS_H
#define STEPSIM_SIM_CHECK_PRIVACY_FINDINGS_H

#include <vector>

#include "sim/check/checkup.h"

namespace stepsim::sim {

/// What in the files says who made them, or lets others act in their name.
[[nodiscard]] std::vector<Finding> privacy_findings(const Examined& examined);

}  // namespace stepsim::sim

#endif
