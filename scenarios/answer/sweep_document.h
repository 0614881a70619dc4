#ifndef STEPSIM_SCENARIOS_ANSWER_SWEEP_DOCUMENT_H
#define STEPSIM_SCENARIOS_ANSWER_SWEEP_DOCUMENT_H

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/answer/sweep.h"
#include "sim/report/report.h"

namespace stepsim::scenarios {

/// The reports on the answer of a sweep, in the order of the document: the list in sweep_reports.cpp.
using SweepReport = sim::Report<SweepAnswer>;
[[nodiscard]] std::span<const SweepReport> sweep_reports();

/// Which point is best, and beyond which value more buys little; {"schema":"stepsim.sweep/1", ...} for
/// programs. Refers to `answer`. Precondition: at least one point has an iteration.
[[nodiscard]] sim::Document sweep_document(const SweepAnswer& answer);

/// Settings as an object of JSON has them.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> entries_of(const std::vector<Setting>& settings);

/// The keys of all points, in the order in which they come.
[[nodiscard]] std::vector<std::string> keys_of(const Points& points);

/// A point's value of each key; empty where it does not set one.
[[nodiscard]] std::vector<std::string> values_of(const Points& points, std::size_t point,
                                                 const std::vector<std::string>& keys);

/// (iteration - baseline) / baseline. Precondition: `outcome` has an iteration.
[[nodiscard]] double change_of(const SweepAnswer& answer, const Outcome& outcome);

/// What a step does at a point. Precondition: `outcome` has an iteration.
[[nodiscard]] sim::StepWork work_at(const SweepAnswer& answer, const Outcome& outcome);
/// Whether points differ in what a step does from each other or from the captured job, so that their iterations do not
/// compare.
[[nodiscard]] bool work_differs(const SweepAnswer& answer);
/// A device's throughput over that of the captured job. Precondition: `outcome` has an iteration.
[[nodiscard]] double efficiency_of(const SweepAnswer& answer, const Outcome& outcome);

/// The schema of its JSON object.
[[nodiscard]] sim::AnswerSchema sweep_schema();

}  // namespace stepsim::scenarios

#endif
