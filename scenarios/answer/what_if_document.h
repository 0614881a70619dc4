#ifndef STEPSIM_SCENARIOS_ANSWER_WHAT_IF_DOCUMENT_H
#define STEPSIM_SCENARIOS_ANSWER_WHAT_IF_DOCUMENT_H

#include <span>

#include "scenarios/answer/what_if_answer.h"
#include "sim/report/report.h"

namespace stepsim::scenarios {

/// A report on the answer to a what-if: one .cpp in scenarios/answer/reports/ and one line in its
/// CMakeLists.txt.
using WhatIfReport = sim::Report<WhatIfAnswer>;
[[nodiscard]] std::span<const WhatIfReport* const> what_if_reports();

/// The answer in a sentence, why it is a range, where the difference comes from;
/// {"schema":"stepsim.whatif/1", ...} for programs. Refers to both arguments.
[[nodiscard]] sim::Document what_if_document(const WhatIfAnswer& answer, const sim::Provenance& provenance);

}  // namespace stepsim::scenarios

#endif
