#ifndef STEPSIM_SIM_CHECK_CHECK_DOCUMENT_H
#define STEPSIM_SIM_CHECK_CHECK_DOCUMENT_H

#include <cstddef>
#include <limits>

#include "sim/check/checkup.h"
#include "sim/output/provenance.h"
#include "sim/report/field.h"

namespace stepsim::sim {

/// Returns the answer of `check`, schema stepsim.check/1: is this capture good enough, and what should be recorded next
/// time? Of more than kFewRankRows files, lists `rows`, those with skipped records first. Keeps references to its
/// arguments.
[[nodiscard]] Document check_document(const Checkup& checkup, const Examined& examined, const Provenance& provenance,
                                      std::size_t rows = std::numeric_limits<std::size_t>::max());

/// Returns the first line: the verdict, what was recorded, and which questions it can answer.
[[nodiscard]] std::string verdict_sentence(const Checkup& checkup, const Examined& examined);

/// Returns a chart of the first steps, or of the iteration if none is marked: measured and replayed. Empty without a
/// replay.
[[nodiscard]] BarChart chart_of(const Examined& examined);

/// Returns the schema of the JSON object.
[[nodiscard]] AnswerSchema check_schema();

}  // namespace stepsim::sim

#endif
