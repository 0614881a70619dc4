#ifndef STEPSIM_SIM_PROFILE_SCALING_DOCUMENT_H
#define STEPSIM_SIM_PROFILE_SCALING_DOCUMENT_H

#include "sim/output/provenance.h"
#include "sim/profile/scaling.h"
#include "sim/report/bar_chart.h"
#include "sim/report/field.h"

/// Several profiled runs beside each other:
///
///   3 runs from 1 to 8 devices: an iteration takes 2.4 ms in the first and 3.01 ms in the last, 1.25 times as long.
///
///   Runs
///   run      devices  iteration  against the first  average  longest
///   1.json         1     2.4 ms             1.00 x   1.9 ms   1.9 ms
///   ...
///
/// average and longest: sums over the labels of what each takes on average over the streams that have it, and on the
/// slowest of them: what they differ by is imbalance; what the iteration exceeds the longest by is not measured, or is
/// waiting. Labels of streams that run side by side add up to more than an iteration.
namespace stepsim::sim {

/// Prints `rows` labels at most; JSON and rows have every one. {"schema":"stepsim.scaling/1", ...} Refers to its
/// arguments.
[[nodiscard]] Document scaling_document(const Scaling& scaling, std::size_t rows, const Provenance& provenance);

/// Three rows a run: the whole iteration, the labels' averages end to end, and their longest, as HugeCTR's
/// scaling_chart has them.
[[nodiscard]] BarChart chart_of(const Scaling& scaling);

/// The schema of its JSON object.
[[nodiscard]] AnswerSchema scaling_schema();

}  // namespace stepsim::sim

#endif
