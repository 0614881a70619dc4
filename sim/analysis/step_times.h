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

/// The times of single steps: of a measured job, and of one captured step that is simulated repeatedly.
namespace stepsim::sim {

/// The measured times of a rank's iterations and of the forward and backward passes in them.
struct PassTimes {
  Rank rank = 0;
  std::string host;
  std::size_t steps = 0;  ///< number of whole steps
  Duration iteration{};   ///< measured iteration, as defined in sim/analysis/summary.h
  /// The median over whole steps of the time from the start of the first FW. operator to the end of the last BW.
  /// operator. Absent if a step has no such operators.
  std::optional<Duration> passes;
};

/// Returns the times by rank. Precondition: `timeline` is a replay of `capture`, and `capture` was measured. O(tasks
/// log ranks).
[[nodiscard]] std::vector<PassTimes> pass_times(const Capture& capture, const Timeline& timeline);

/// Returns the number of the step in `among` whose replayed time (the longest over ranks) is the median. If two steps
/// are in the middle, returns the shorter one; for ties the first one; if no times are known, the first of `among`.
/// Precondition: `among` is not empty.
[[nodiscard]] std::int64_t typical_step(const Summary& summary, const std::vector<std::int64_t>& among);

/// Iterations that were simulated by repeating one captured step.
struct SimulatedSteps {
  /// One rank's part of an iteration. Its length is defined in sim/analysis/summary.h. If the device limits the pace,
  /// the first iteration has no length and is not listed.
  struct Step {
    Rank rank = 0;
    std::int64_t number = 0;  ///< number of the iteration, counted from 0
    Time begin;
    Duration length{};
  };
  std::int64_t repeated = 0;  ///< number of the captured step that is repeated
  std::size_t iterations = 0;
  std::vector<Step> steps;  ///< sorted by rank, then number
  Duration iteration{};     ///< the job's iteration: that of the slowest rank
  Duration span{};          ///< time from the first start to the last end
};

/// Returns the simulated iterations. Precondition: `timeline` is a replay of `capture`, which with_repeated_step() made
/// from step `repeated`. O(tasks).
[[nodiscard]] SimulatedSteps simulated_steps(const Capture& capture, const Timeline& timeline, std::int64_t repeated);

}  // namespace stepsim::sim

#endif
