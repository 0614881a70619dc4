#ifndef STEPSIM_SIM_CHECK_OTHER_JOB_FINDINGS_H
#define STEPSIM_SIM_CHECK_OTHER_JOB_FINDINGS_H

#include <vector>

#include "sim/check/checkup.h"

namespace stepsim::sim {

/// What is wrong with files and jobs as such, and what BytePS jobs and task graphs lack.
[[nodiscard]] std::vector<Finding> other_job_findings(const Examined& examined);

}  // namespace stepsim::sim

#endif
