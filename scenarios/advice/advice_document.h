#ifndef STEPSIM_SCENARIOS_ADVICE_ADVICE_DOCUMENT_H
#define STEPSIM_SCENARIOS_ADVICE_ADVICE_DOCUMENT_H

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "scenarios/advice/advice.h"
#include "sim/output/provenance.h"
#include "sim/report/report.h"
#include "sim/report/table.h"

namespace stepsim::scenarios {

/// What the reports on advice say, and how much of it.
struct AdviceFindings {
  const Advice& advice;
  std::size_t rows;  ///< of each table, at most; JSON has all
};

/// The reports on advice, in the order of the document: the list in advice_reports.cpp.
using AdviceReport = sim::Report<AdviceFindings>;
[[nodiscard]] std::span<const AdviceReport> advice_reports();
/// For spreadsheets: one row a change. No figure is negative: the ratio stands in for the change.
[[nodiscard]] sim::Table rows_of(const Advice& advice);

/// What would help, ranked; {"schema":"stepsim.advise/1", ...} for programs. Refers to its arguments.
[[nodiscard]] sim::Document advice_document(const AdviceFindings& findings, const sim::Provenance& provenance);

/// The schema of its JSON object.
[[nodiscard]] sim::AnswerSchema advice_schema();

}  // namespace stepsim::scenarios

#endif
