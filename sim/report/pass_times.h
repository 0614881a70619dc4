#ifndef STEPSIM_SIM_REPORT_PASS_TIMES_H
#define STEPSIM_SIM_REPORT_PASS_TIMES_H

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "model/job/recording.h"
#include "sim/engine/timeline.h"
#include "sim/output/provenance.h"
#include "sim/report/document.h"

namespace stepsim::sim {

/// How long a rank's iterations and the passes through its model were measured to take.
struct PassTimes {
  Rank rank = 0;
  std::string host;
  std::size_t steps = 0;           ///< whole ones
  Duration iteration{};            ///< as measured (sim/analysis/summary.h)
  std::optional<Duration> passes;  ///< from the first FW. operator's start to the last BW. operator's end, the median
                                   ///< over whole steps; absent where a step has no such operators
};

/// By rank. Precondition: `timeline` is a replay of `capture`, which was measured. O(tasks log ranks).
[[nodiscard]] std::vector<PassTimes> pass_times(const Capture& capture, const Timeline& timeline);

/// The times as an answer: {"schema":"stepsim.collect/1","iteration_ns":...}. `sections` stand below the times,
/// `written` names the files that were written. Refers to its arguments.
[[nodiscard]] Document pass_times_document(const std::vector<PassTimes>& times, const Capture& capture,
                                           std::vector<Section> sections, const std::vector<std::string>& written,
                                           const Provenance& provenance);

}  // namespace stepsim::sim

#endif
