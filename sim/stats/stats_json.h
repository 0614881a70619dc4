#ifndef STEPSIM_SIM_STATS_STATS_JSON_H
#define STEPSIM_SIM_STATS_STATS_JSON_H

#include <vector>

#include "sim/output/provenance.h"
#include "sim/report/table.h"
#include "sim/stats/statistics.h"

/// Statistics for programs.
namespace stepsim::sim {

class JsonWriter;

/// {"schema":"stepsim.stats/1", ...}
void write_statistics(JsonWriter& json, const std::vector<Statistics>& inputs, const Provenance& provenance);

/// The members of a distribution: count, total_ns, ...
void write_members(JsonWriter& json, const Distribution& times);

/// One row each Statistics::rows, for spreadsheets and databases.
[[nodiscard]] Table rows_of(const std::vector<Statistics>& inputs);

}  // namespace stepsim::sim

#endif
