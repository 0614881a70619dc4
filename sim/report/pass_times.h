#ifndef STEPSIM_SIM_REPORT_PASS_TIMES_H
#define STEPSIM_SIM_REPORT_PASS_TIMES_H

#include <string>
#include <vector>

#include "model/job/recording.h"
#include "sim/analysis/step_times.h"
#include "sim/output/provenance.h"
#include "sim/report/field.h"

namespace stepsim::sim {

/// The times as an answer: {"schema":"stepsim.collect/1","iteration_ns":...}. `sections` stand below the times,
/// `written` names the files that were written. Refers to its arguments.
[[nodiscard]] Document pass_times_document(const std::vector<PassTimes>& times, const Capture& capture,
                                           std::vector<Section> sections, const std::vector<std::string>& written,
                                           const Provenance& provenance);

/// The schema of its JSON object.
[[nodiscard]] AnswerSchema collect_schema();

}  // namespace stepsim::sim

#endif
