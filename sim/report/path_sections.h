#ifndef STEPSIM_SIM_REPORT_PATH_SECTIONS_H
#define STEPSIM_SIM_REPORT_PATH_SECTIONS_H

#include <cstddef>
#include <vector>

#include "sim/report/critical_path.h"
#include "sim/report/document.h"

namespace stepsim::sim {

/// A critical path for people: by class, without a title; by rank, where it passes through several;
/// its longest tasks, at most `rows`.
[[nodiscard]] std::vector<Section> path_sections(const Dag& dag, const CriticalPath& path, std::size_t rows);

}  // namespace stepsim::sim

#endif
