#ifndef STEPSIM_SIM_REPORT_WHERE_TO_LOOK_H
#define STEPSIM_SIM_REPORT_WHERE_TO_LOOK_H

#include <string>
#include <vector>

#include "model/job/recording.h"
#include "sim/analysis/critical_path.h"
#include "sim/analysis/stragglers.h"
#include "sim/analysis/summary.h"

namespace stepsim::sim {

/// Three to five sentences: what to look at first, derived from the figures. None if the path is empty.
[[nodiscard]] std::vector<std::string> where_to_look(const Capture& capture, const Summary& summary,
                                                     const CriticalPath& path,
                                                     const std::vector<Straggler>& stragglers);

}  // namespace stepsim::sim

#endif
