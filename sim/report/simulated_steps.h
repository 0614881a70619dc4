#ifndef STEPSIM_SIM_REPORT_SIMULATED_STEPS_H
#define STEPSIM_SIM_REPORT_SIMULATED_STEPS_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/job/recording.h"
#include "sim/analysis/summary.h"
#include "sim/engine/timeline.h"
#include "sim/output/provenance.h"
#include "sim/report/document.h"

namespace stepsim::sim {

/// The step of `among` whose replayed time, the longest over ranks, is the median; of two the shorter one, of equal
/// ones the first. The first of `among` if no time of them is known. Precondition: there is one.
[[nodiscard]] std::int64_t typical_step(const Summary& summary, const std::vector<std::int64_t>& among);

/// Iterations that were simulated by doing one captured step again and again.
struct SimulatedSteps {
  /// One rank's part of an iteration, as long as a step is (sim/analysis/summary.h). At the device's pace the first one
  /// is not among them.
  struct Step {
    Rank rank = 0;
    std::int64_t number = 0;  ///< from 0
    Time begin;
    Duration length{};
  };
  std::int64_t repeated = 0;  ///< the captured step's number
  std::size_t iterations = 0;
  std::vector<Step> steps;  ///< by rank, then number
  Duration iteration{};     ///< the job's, as of a capture: the slowest rank's median
  Duration span{};          ///< from the first start to the last end
};

/// Precondition: `timeline` is of `capture`, which with_repeated_step() made of step `repeated`. O(tasks).
[[nodiscard]] SimulatedSteps simulated_steps(const Capture& capture, const Timeline& timeline, std::int64_t repeated);

/// What was simulated, an iteration a row, with `rows` rows at most. `output` is the file it was written to, if any.
/// Refers to its arguments.
[[nodiscard]] Document simulated_document(const SimulatedSteps& steps, const Capture& capture,
                                          const std::string& output, std::size_t rows, const Provenance& provenance);

}  // namespace stepsim::sim

#endif
