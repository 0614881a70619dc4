#ifndef STEPSIM_SIM_ANALYSIS_STEP_TIMES_H
#define STEPSIM_SIM_ANALYSIS_STEP_TIMES_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/job/recording.h"
#include "sim/analysis/summary.h"
#include "sim/engine/timeline.h"

/// What steps take, one by one: of a job as measured, and of one captured step done again and again.
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
  Duration iteration{};     ///< the job's, as of a capture: the slowest rank's
  Duration span{};          ///< from the first start to the last end
};

/// Precondition: `timeline` is of `capture`, which with_repeated_step() made of step `repeated`. O(tasks).
[[nodiscard]] SimulatedSteps simulated_steps(const Capture& capture, const Timeline& timeline, std::int64_t repeated);

}  // namespace stepsim::sim

#endif
