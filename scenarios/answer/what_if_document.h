#ifndef STEPSIM_SCENARIOS_ANSWER_WHAT_IF_DOCUMENT_H
#define STEPSIM_SCENARIOS_ANSWER_WHAT_IF_DOCUMENT_H

#include <span>

#include "scenarios/answer/what_if_answer.h"
#include "sim/report/report.h"

namespace stepsim::scenarios {

/// The reports on the answer to a what-if, in the order of the document: the list in what_if_reports.cpp.
using WhatIfReport = sim::Report<WhatIfAnswer>;
[[nodiscard]] std::span<const WhatIfReport> what_if_reports();

/// The answer in a sentence, why it is a range, where the difference comes from;
/// {"schema":"stepsim.whatif/1", ...} for programs. Refers to both arguments.
[[nodiscard]] sim::Document what_if_document(const WhatIfAnswer& answer, const sim::Provenance& provenance);

/// The schema of its JSON object.
[[nodiscard]] sim::AnswerSchema what_if_schema();

}  // namespace stepsim::scenarios

#endif
