#ifndef STEPSIM_SIM_CHECK_CHECK_DOCUMENT_H
#define STEPSIM_SIM_CHECK_CHECK_DOCUMENT_H

#include "sim/check/checkup.h"
#include "sim/output/provenance.h"
#include "sim/report/field.h"

namespace stepsim::sim {

/// Is this capture good enough, and what should be recorded next time? {"schema":"stepsim.check/1", ...}
///
///     Good: 2 ranks on Tesla V100, 5 whole steps; replay, host and device can be asked; network is weak.
///
/// Refers to its arguments.
[[nodiscard]] Document check_document(const Checkup& checkup, const Examined& examined, const Provenance& provenance);

/// The first line: the verdict, what there is, and what it answers.
[[nodiscard]] std::string verdict_sentence(const Checkup& checkup, const Examined& examined);

/// The schema of its JSON object.
[[nodiscard]] AnswerSchema check_schema();

}  // namespace stepsim::sim

#endif
