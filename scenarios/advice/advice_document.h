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

/// The data of the reports on advice, and the length of their tables.
struct AdviceFindings {
  const Advice& advice;
  std::size_t rows;  ///< maximum rows per table; JSON has all rows
};

/// Returns the reports on advice in the order of the document; advice_reports.cpp lists them.
using AdviceReport = sim::Report<AdviceFindings>;
[[nodiscard]] std::span<const AdviceReport> advice_reports();
/// Returns one row per change, for spreadsheets. No number is negative: the ratio is given instead of the change.
[[nodiscard]] sim::Table rows_of(const Advice& advice);

/// Returns the document with the ranked changes. Its JSON is {"schema":"stepsim.advise/1", ...}. Keeps references to
/// the arguments.
[[nodiscard]] sim::Document advice_document(const AdviceFindings& findings, const sim::Provenance& provenance);

/// Returns the schema of the JSON object.
[[nodiscard]] sim::AnswerSchema advice_schema();

}  // namespace stepsim::scenarios

#endif
