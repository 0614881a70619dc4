#ifndef STEPSIM_SIM_REPORT_SIMULATED_STEPS_H
#define STEPSIM_SIM_REPORT_SIMULATED_STEPS_H

#include <cstddef>
#include <string>

#include "model/job/recording.h"
#include "sim/analysis/step_times.h"
#include "sim/output/provenance.h"
#include "sim/report/field.h"

namespace stepsim::sim {

/// What was simulated, an iteration a row, with `rows` rows at most. `output` is the file it was written to, if any.
/// Refers to its arguments.
[[nodiscard]] Document simulated_document(const SimulatedSteps& steps, const Capture& capture,
                                          const std::string& output, std::size_t rows, const Provenance& provenance);

/// The schema of its JSON object.
[[nodiscard]] AnswerSchema simulated_schema();

}  // namespace stepsim::sim

#endif
