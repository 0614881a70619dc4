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

/// A report on advice: one .cpp in scenarios/advice/reports/ and one line in its CMakeLists.txt.
using AdviceReport = sim::Report<AdviceFindings>;
[[nodiscard]] std::span<const AdviceReport* const> advice_reports();

/// The best of each family with one of these verdicts, as one row of a table each, up to findings.rows of them: limits
/// alone, or all others.
[[nodiscard]] std::vector<const Tried*> best_with(const AdviceFindings& findings,
                                                  std::initializer_list<Verdict> verdicts, bool limits);
/// The change as it is typed, what it takes, its iteration with the range, and the change of it with its own.
[[nodiscard]] sim::Table table_of(const std::vector<const Tried*>& tried);

/// What would help, ranked; {"schema":"stepsim.advise/1", ...} for programs. Refers to its arguments.
[[nodiscard]] sim::Document advice_document(const AdviceFindings& findings, const sim::Provenance& provenance);

}  // namespace stepsim::scenarios

#endif
