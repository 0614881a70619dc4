#ifndef STEPSIM_SIM_COMPARE_COMPARE_JSON_H
#define STEPSIM_SIM_COMPARE_COMPARE_JSON_H

#include <optional>

#include "sim/compare/difference.h"
#include "sim/compare/gate.h"
#include "sim/output/provenance.h"
#include "sim/report/table.h"

/// A difference for programs.
namespace stepsim::sim {

class JsonWriter;

/// {"schema":"stepsim.compare/1", ...}
void write_difference(JsonWriter& json, const Difference& difference, const std::optional<Gate>& gate,
                      const Provenance& provenance);

/// One row each Difference::rows, for spreadsheets and databases.
[[nodiscard]] Table rows_of(const Difference& difference);

}  // namespace stepsim::sim

#endif
