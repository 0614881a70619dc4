#ifndef STEPSIM_SCENARIOS_ANSWER_WHAT_IF_DOCUMENT_H
#define STEPSIM_SCENARIOS_ANSWER_WHAT_IF_DOCUMENT_H

#include <span>

#include "scenarios/answer/what_if_answer.h"
#include "sim/report/report.h"

namespace stepsim::scenarios {

/// Returns the reports on the answer to a what-if in the order of the document; what_if_reports.cpp lists them.
using WhatIfReport = sim::Report<WhatIfAnswer>;
[[nodiscard]] std::span<const WhatIfReport> what_if_reports();

/// Returns the document of a what-if: the answer in one sentence, the sources of its uncertainty, and the causes of the
/// difference from the captured job. Its JSON is {"schema":"stepsim.whatif/1", ...}. Keeps references to both
/// arguments.
[[nodiscard]] sim::Document what_if_document(const WhatIfAnswer& answer, const sim::Provenance& provenance);

/// Returns the schema of the JSON object of what_if_document().
[[nodiscard]] sim::AnswerSchema what_if_schema();

}  // namespace stepsim::scenarios

#endif
