#ifndef STEPSIM_SCENARIOS_CALIBRATION_MACHINE_DOCUMENT_H
#define STEPSIM_SCENARIOS_CALIBRATION_MACHINE_DOCUMENT_H

#include "scenarios/calibration/machine_fit.h"
#include "sim/output/provenance.h"
#include "sim/report/document.h"
#include "sim/report/field.h"

namespace stepsim::scenarios {

/// What the answer leads with.
enum class MachineHeadline : std::uint8_t {
  kFactors,   ///< what the steps say about the machine
  kBacktest,  ///< how well each step is predicted from the others
};

/// Returns the document: the factors, and each step as measured, by data sheet, fitted and from the others. Its JSON is
/// {"schema":"stepsim.machine/1", ...}. Keeps references to its arguments.
[[nodiscard]] sim::Document machine_document(const MachineFit& fit, MachineHeadline headline,
                                             const sim::Provenance& provenance);

/// Returns the schema of the JSON object of machine_document().
[[nodiscard]] sim::AnswerSchema machine_schema();

}  // namespace stepsim::scenarios

#endif
