#ifndef STEPSIM_SIM_PROFILE_TIMELINE_DOCUMENT_H
#define STEPSIM_SIM_PROFILE_TIMELINE_DOCUMENT_H

#include <vector>

#include "model/base/diagnostics.h"
#include "sim/output/provenance.h"
#include "sim/profile/range_summary.h"
#include "sim/report/document.h"
#include "sim/report/field.h"

/// The timeline of an iteration, from the ranges of a profiled run:
///
///   Ranges, in the order in which they begin
///   range                      in  streams  begins   takes  longest  of iteration  measured
///   sparse_embedding1.forward   0        8  118 us  327 us   331 us        10.9 %       400
///   ...
namespace stepsim::sim {

/// The data of a timeline. Keeps a reference to the run.
struct RangeTimeline {
  const ProfiledRun& run;
  RangeMeans means;
  std::vector<RangeSummary> ranges;
  const Diagnostics& diagnostics;
};

/// Returns the answer of `timeline`, schema stepsim.timeline/1. Prints at most `rows` labels; JSON and CSV have every
/// range. Keeps references to its arguments.
[[nodiscard]] Document timeline_document(const RangeTimeline& timeline, std::size_t rows, const Provenance& provenance);

/// Returns a chart with one row per stream and one bar per range; the top row is the whole iteration. The colour of a
/// bar depends on its layer, or on its name if there are no layers. Nested ranges, and ranges that overlap because they
/// were measured in different iterations, are drawn on separate levels. Ranges without a begin are left out.
[[nodiscard]] BarChart chart_of(const RangeTimeline& timeline);

/// Returns the schema of the JSON object.
[[nodiscard]] AnswerSchema timeline_schema();

}  // namespace stepsim::sim

#endif
