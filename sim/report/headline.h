#ifndef STEPSIM_SIM_REPORT_HEADLINE_H
#define STEPSIM_SIM_REPORT_HEADLINE_H

#include <string>

#include "model/calibration/calibration.h"
#include "model/job/recording.h"
#include "sim/report/summary.h"

namespace stepsim::sim {

/// The first line of a replay's report: what, how much, in which unit, how far to trust it.
[[nodiscard]] std::string headline(const Capture& capture, const Summary& summary);

/// The first line of a calibration's report: what was fitted, and how far to trust it.
[[nodiscard]] std::string headline(const Calibration& calibration);

}  // namespace stepsim::sim

#endif
