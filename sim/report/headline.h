#ifndef STEPSIM_SIM_REPORT_HEADLINE_H
#define STEPSIM_SIM_REPORT_HEADLINE_H

#include <optional>
#include <string>

#include "model/calibration/calibration.h"
#include "model/job/recording.h"
#include "sim/report/critical_path.h"
#include "sim/report/perturbation.h"
#include "sim/report/summary.h"

namespace stepsim::sim {

/// The first line of a replay's report: what, how much, in which unit, how far to trust it.
[[nodiscard]] std::string headline(const Capture& capture, const Summary& summary);

/// How far the graph was tested, and how much of the step rests on waits that were measured and not on dependencies
/// that are known. Empty for a task graph.
[[nodiscard]] std::string trust_line(const Summary& summary, const CriticalPath& path,
                                     const std::optional<Perturbation>& perturbation);

/// The first line of a calibration's report: what was fitted, and how far to trust it.
[[nodiscard]] std::string headline(const Calibration& calibration);

}  // namespace stepsim::sim

#endif
