#ifndef STEPSIM_SIM_REPORT_HEADLINE_H
#define STEPSIM_SIM_REPORT_HEADLINE_H

#include <optional>
#include <string>
#include <string_view>

#include "model/calibration/calibration.h"
#include "model/job/recording.h"
#include "sim/analysis/critical_path.h"
#include "sim/analysis/perturbation.h"
#include "sim/analysis/summary.h"

namespace stepsim::sim {

/// The id of the assumption that another cluster than the captured one was given, and of what it does: what is measured
/// and what is replayed then differ by more than errors.
constexpr std::string_view kClusterFile = "cluster_file";

/// The first line of a replay's report: what, how much, in which unit, how far to trust it.
[[nodiscard]] std::string headline(const Capture& capture, const Summary& summary);

/// How far the graph was tested, and how much of the step rests on waits that were measured and not on dependencies
/// that are known. Empty for a task graph. On a cluster that was
/// given (kClusterFile among the capture's assumptions) it says that instead.
[[nodiscard]] std::string trust_line(const Capture& capture, const Summary& summary, const CriticalPath& path,
                                     const std::optional<Perturbation>& perturbation);

/// The first line of a calibration's report: what was fitted, and how far to trust it.
[[nodiscard]] std::string headline(const Calibration& calibration);

}  // namespace stepsim::sim

#endif
