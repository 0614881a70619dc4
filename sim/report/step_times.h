#ifndef STEPSIM_SIM_REPORT_STEP_TIMES_H
#define STEPSIM_SIM_REPORT_STEP_TIMES_H

#include <cstddef>
#include <string>
#include <vector>

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

/// The times as an answer: {"schema":"stepsim.collect/1","iteration_ns":...}. `sections` stand below the times,
/// `written` names the files that were written. Refers to its arguments.
[[nodiscard]] Document pass_times_document(const std::vector<PassTimes>& times, const Capture& capture,
                                           std::vector<Section> sections, const std::vector<std::string>& written,
                                           const Provenance& provenance);

/// The schema of its JSON object.
[[nodiscard]] AnswerSchema collect_schema();

}  // namespace stepsim::sim

#endif
