#ifndef STEPSIM_SIM_COMPARE_COMPARE_DOCUMENT_H
#define STEPSIM_SIM_COMPARE_COMPARE_DOCUMENT_H

#include <cstddef>
#include <optional>

#include "sim/compare/difference.h"
#include "sim/output/provenance.h"
#include "sim/report/field.h"

namespace stepsim::sim {

/// What differs? {"schema":"stepsim.compare/1", ...} Prints `rows` rows of each table at most; JSON has all.
/// Refers to its arguments.
[[nodiscard]] Document compare_document(const Difference& difference, const std::optional<Gate>& gate, std::size_t rows,
                                        const Provenance& provenance);

/// The schema of its JSON object.
[[nodiscard]] AnswerSchema compare_schema();

}  // namespace stepsim::sim

#endif
