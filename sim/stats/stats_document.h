#ifndef STEPSIM_SIM_STATS_STATS_DOCUMENT_H
#define STEPSIM_SIM_STATS_STATS_DOCUMENT_H

#include <cstddef>
#include <vector>

#include "sim/output/provenance.h"
#include "sim/report/field.h"
#include "sim/stats/statistics.h"

namespace stepsim::sim {

/// What takes how long, as measured? {"schema":"stepsim.stats/1", ...} One set of sections an input. Prints `rows` rows
/// of each table at most; JSON has all. Refers to its arguments. Precondition: there is an input.
[[nodiscard]] Document stats_document(const std::vector<Statistics>& inputs, std::size_t rows,
                                      const Provenance& provenance);

/// The schema of its JSON object.
[[nodiscard]] AnswerSchema stats_schema();

}  // namespace stepsim::sim

#endif
