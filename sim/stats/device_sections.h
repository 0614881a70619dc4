#ifndef STEPSIM_SIM_STATS_DEVICE_SECTIONS_H
#define STEPSIM_SIM_STATS_DEVICE_SECTIONS_H

#include <cstddef>
#include <vector>

#include "sim/stats/detail_sections.h"

namespace stepsim::sim {

/// How devices were fed and filled, where the traces tell: queues, launches, copies, sequences of kernels, occupancy.
/// At most `rows` rows a table.
[[nodiscard]] std::vector<Section> device_sections(const Statistics& input, std::size_t rows,
                                                   const StatsTitles& titles);

}  // namespace stepsim::sim

#endif
