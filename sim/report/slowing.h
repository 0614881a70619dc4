#ifndef STEPSIM_SIM_REPORT_SLOWING_H
#define STEPSIM_SIM_REPORT_SLOWING_H

#include <string>

#include "sim/analysis/summary.h"

namespace stepsim::sim {

/// "recorded, an iteration takes 105 ms; a step takes 100 ms when nobody records it (measured_step of job.yaml): the
/// profiler slows this job by 5.0 %". Where that is not seen: "+5.00 %, no more than recorded steps differ (the
/// shortest takes 99 ms)".
[[nodiscard]] std::string to_text(const Slowing& slowing);

}  // namespace stepsim::sim

#endif
