#ifndef STEPSIM_SIM_REPORT_CAPTURE_DOCUMENTS_H
#define STEPSIM_SIM_REPORT_CAPTURE_DOCUMENTS_H

#include "sim/report/report.h"

/// The answers of the commands on a capture. Each is made of the reports in capture_reports.cpp that belong to it.
/// Documents keep references to their arguments.
namespace stepsim::sim {

/// Returns the answer of `replay`, schema stepsim.replay/1: can the replay be trusted, and where does its time go?
[[nodiscard]] Document replay_document(const Findings& findings, const Provenance& provenance);

/// Returns the answer of `critical-path`, schema stepsim.critical_path/1: what determines the length of an iteration?
[[nodiscard]] Document critical_path_document(const Findings& findings, const Provenance& provenance);

/// Returns the answer of `calibrate`, schema stepsim.calibrate/1: how fast is the hardware? Precondition:
/// findings.calibration is not null.
[[nodiscard]] Document calibration_document(const Findings& findings, const Provenance& provenance);

/// Returns the report of `convert`, schema stepsim.convert/1: what was written, in which form?
[[nodiscard]] Document conversion_document(const Findings& findings, std::string_view form,
                                           const Provenance& provenance);

/// Returns the schemas of the JSON objects.
[[nodiscard]] std::vector<AnswerSchema> capture_schemas();

}  // namespace stepsim::sim

#endif
