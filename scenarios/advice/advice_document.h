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
/// True if the change is so large that its table should not be the last one: 1 % of the iteration or more.
[[nodiscard]] bool is_worth_a_look(const Tried& tried) noexcept;
/// Returns one row per tried change, for spreadsheets. Gives the ratio of the iterations, which is never negative,
/// instead of their difference.
[[nodiscard]] sim::Table rows_of(const Advice& advice);

/// Returns the document with the ranked changes. Its JSON is {"schema":"stepsim.advise/1", ...}. Keeps references to
/// the arguments.
[[nodiscard]] sim::Document advice_document(const AdviceFindings& findings, const sim::Provenance& provenance);

/// Returns a chart of the best gains and of the upper bounds: the iteration after each change, and the time saved.
[[nodiscard]] sim::BarChart chart_of(const Advice& advice);

/// Returns the schema of the JSON object of advice_document().
[[nodiscard]] sim::AnswerSchema advice_schema();

}  // namespace stepsim::scenarios

#endif
