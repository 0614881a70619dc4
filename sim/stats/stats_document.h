#ifndef STEPSIM_SIM_STATS_STATS_DOCUMENT_H
#define STEPSIM_SIM_STATS_STATS_DOCUMENT_H

#include <cstddef>
#include <vector>

#include "sim/output/provenance.h"
#include "sim/report/field.h"
#include "sim/stats/statistics.h"

namespace stepsim::sim {

/// Returns the answer of `stats`, schema stepsim.stats/1: how long did each kind of work take, as measured? There is
/// one set of sections per input. Prints at most `rows` rows of each table; JSON has all. Keeps references to its
/// arguments. Precondition: there is an input.
[[nodiscard]] Document stats_document(const std::vector<Statistics>& inputs, std::size_t rows,
                                      const Provenance& provenance);

/// Returns a chart of the first rows of each input.
[[nodiscard]] BarChart chart_of(const std::vector<Statistics>& inputs);

/// Returns the schema of the JSON object.
[[nodiscard]] AnswerSchema stats_schema();

}  // namespace stepsim::sim

#endif
