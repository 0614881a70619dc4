#ifndef STEPSIM_SCENARIOS_ANSWER_SWEEP_DOCUMENT_H
#define STEPSIM_SCENARIOS_ANSWER_SWEEP_DOCUMENT_H

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/answer/baseline.h"
#include "scenarios/answer/sweep.h"
#include "sim/report/field.h"
#include "sim/report/report.h"
#include "sim/report/throughput.h"

namespace stepsim::scenarios {

/// Returns the reports on the answer of a sweep in the order of the document; sweep_reports.cpp lists them.
using SweepReport = sim::Report<SweepAnswer>;
[[nodiscard]] std::span<const SweepReport> sweep_reports();

/// Returns the document of a sweep. It states which point is best, and for each axis beyond which value a further
/// change hardly helps. Its JSON is {"schema":"stepsim.sweep/1", ...}. Keeps a reference to `answer`. Precondition: at
/// least one point has an iteration.
[[nodiscard]] sim::Document sweep_document(const SweepAnswer& answer);

/// Returns settings as the entries of a JSON object.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> entries_of(const std::vector<Setting>& settings);

/// True if measured steps of the machine correct some step times.
[[nodiscard]] bool shows_data_sheet(const SweepAnswer& answer);

/// Returns the keys that the points set, such as "network.bandwidth", each once, in order of appearance.
[[nodiscard]] std::vector<std::string> keys_of(const Points& points);

/// Returns the values that a point sets for `keys`, in their order; empty for keys that it does not set.
[[nodiscard]] std::vector<std::string> values_of(const Points& points, std::size_t point,
                                                 const std::vector<std::string>& keys);

/// Returns (iteration - baseline) / baseline. Precondition: `outcome` has an iteration.
[[nodiscard]] double change_of(const SweepAnswer& answer, const Outcome& outcome);

/// Returns the work of one step (workers, batches) at a point. Precondition: `outcome` has an iteration.
[[nodiscard]] sim::StepWork work_at(const SweepAnswer& answer, const Outcome& outcome);
/// True if the work of a step differs between points or from the captured job, so that iterations cannot be compared.
[[nodiscard]] bool work_differs(const SweepAnswer& answer);
/// Returns the throughput per device at a point, divided by that of the captured job. Precondition: `outcome` has an
/// iteration.
[[nodiscard]] double efficiency_of(const SweepAnswer& answer, const Outcome& outcome);

/// The captured job's prediction as the baseline of a sweep, or of a search over its points, in JSON.
inline constexpr auto kSweepBaseline = std::to_array<sim::Field<SweepHead>>({
    {"", sim::at<&SweepHead::baseline>, kBaseline},
    {"throughput", [](const SweepHead& head) { return sim::throughput_of(head.work, head.baseline.iteration); },
     sim::kThroughput},
});

/// Returns the schema of the JSON object of sweep_document().
[[nodiscard]] sim::AnswerSchema sweep_schema();

}  // namespace stepsim::scenarios

#endif
