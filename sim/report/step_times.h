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

/// Returns a report of the simulated iterations, at most `rows` rows. `output` is the file they were written to, if
/// any. Keeps references to its arguments.
[[nodiscard]] Document simulated_document(const SimulatedSteps& steps, const Capture& capture,
                                          const std::string& output, std::size_t rows, const Provenance& provenance);

/// Returns the schema of the JSON object.
[[nodiscard]] AnswerSchema simulated_schema();

/// Returns the answer of `collect`, schema stepsim.collect/1: the times, followed by `sections`. `written` lists the
/// files that were written. Keeps references to its arguments.
[[nodiscard]] Document pass_times_document(const std::vector<PassTimes>& times, const Capture& capture,
                                           std::vector<Section> sections, const std::vector<std::string>& written,
                                           const Provenance& provenance);

/// Returns the schema of the JSON object.
[[nodiscard]] AnswerSchema collect_schema();

}  // namespace stepsim::sim

#endif
