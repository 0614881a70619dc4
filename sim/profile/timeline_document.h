#ifndef STEPSIM_SIM_PROFILE_TIMELINE_DOCUMENT_H
#define STEPSIM_SIM_PROFILE_TIMELINE_DOCUMENT_H

#include <vector>

#include "model/base/diagnostics.h"
#include "sim/output/provenance.h"
#include "sim/profile/range_summary.h"
#include "sim/report/document.h"
#include "sim/report/field.h"

/// An iteration of a profiled run as its ranges show it:
///
///   64 ranges on 8 devices of luna-0173, 25600 measurements in different iterations: an iteration takes 3.01 ms
///   (median).
///
///   Ranges, in the order in which they begin
///   range                      in  streams  begins   takes  longest  of iteration  measured
///   sparse_embedding1.forward   0        8  118 us  327 us   331 us        10.9 %       400
///   ...
namespace stepsim::sim {

/// What a timeline is made of. Refers to the run.
struct RangeTimeline {
  const ProfiledRun& run;
  RangeMeans means;
  std::vector<RangeSummary> ranges;
  const Diagnostics& diagnostics;
};

/// Prints `rows` labels at most; JSON and rows have every range. {"schema":"stepsim.timeline/1", ...} Refers to its
/// arguments.
[[nodiscard]] Document timeline_document(const RangeTimeline& timeline, std::size_t rows, const Provenance& provenance);

/// A row a stream, a bar a range, in the colour of its layer, or of its name where there are no layers; above them the
/// whole iteration. Bars of nested ranges, and of those that overlap because they were measured in different
/// iterations, lie below each other. Ranges without a begin are left out.
[[nodiscard]] BarChart chart_of(const RangeTimeline& timeline);

/// The schema of its JSON object.
[[nodiscard]] AnswerSchema timeline_schema();

}  // namespace stepsim::sim

#endif
