#ifndef STEPSIM_SIM_REPORT_CAPTURE_DOCUMENTS_H
#define STEPSIM_SIM_REPORT_CAPTURE_DOCUMENTS_H

#include "sim/report/report.h"

/// The answers of the commands on a capture, made of the reports that belong to them
/// (sim/report/reports/). Each document refers to both of its arguments.
namespace stepsim::sim {

/// Can the replay be trusted, and where does its time go? {"schema":"stepsim.replay/1", ...}
[[nodiscard]] Document replay_document(const Findings& findings, const Provenance& provenance);

/// What sets the length of an iteration? {"schema":"stepsim.critical_path/1", ...}
[[nodiscard]] Document critical_path_document(const Findings& findings, const Provenance& provenance);

/// How fast is the hardware? {"schema":"stepsim.calibrate/1", ...} Precondition: it was calibrated.
[[nodiscard]] Document calibration_document(const Findings& findings, const Provenance& provenance);

/// What was written, in which form? {"schema":"stepsim.convert/1", ...}
[[nodiscard]] Document conversion_document(const Findings& findings, std::string_view form,
                                           const Provenance& provenance);

/// The schemas of their JSON objects.
[[nodiscard]] std::vector<AnswerSchema> capture_schemas();

}  // namespace stepsim::sim

#endif
