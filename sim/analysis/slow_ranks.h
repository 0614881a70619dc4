#ifndef STEPSIM_SIM_ANALYSIS_SLOW_RANKS_H
#define STEPSIM_SIM_ANALYSIS_SLOW_RANKS_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/job/recording.h"
#include "sim/engine/engine.h"

/// What slow ranks cost a job, found by replaying it as if they were not slow. The rank that arrives last in
/// collectives (sim/analysis/where_to_look.h) is not always the slow one: in a pipeline, the stage behind a slow one is
/// late too.
///
/// Without stragglers, each task would take the mean of all tasks that do the same work on all ranks and in all steps:
/// those of its name, or the k-th of its name in each step if that tells their durations better (if at least half of
/// the variance is between the places, as in a forward pass that calls one kernel with many shapes). Unexplained waits
/// are left out of all replays, because nobody knows what they wait for.
namespace stepsim::sim {

/// A rank, or all ranks of a data-parallel rank or a pipeline stage.
struct SlowPart {
  std::int32_t number = 0;             ///< of the rank, the data-parallel rank or the stage
  std::optional<ParallelPlace> place;  ///< of a rank, if it is known
  double slowdown = 1;                 ///< an iteration with only this part as recorded, over one without stragglers
  Duration saves{};                    ///< what an iteration would save if only this part had no stragglers
  std::vector<double> by_step;         ///< the slowdown of each step, as in SlowRanks::steps
};

struct SlowRanks {
  struct Step {
    std::int64_t number = 0;
    Duration replayed{};  ///< as recorded, without unexplained waits
    Duration ideal{};     ///< without stragglers
  };
  Duration replayed{};  ///< an iteration as recorded, without unexplained waits
  Duration ideal{};     ///< an iteration without stragglers
  std::vector<Step> steps;
  // Each list has the part with the largest slowdown first. The last two are empty if places are unknown.
  std::vector<SlowPart> ranks;
  std::vector<SlowPart> data_ranks;
  std::vector<SlowPart> stages;
};

/// Returns the number of replays that slow_ranks() needs if no parts are alike.
[[nodiscard]] std::size_t replays_for_slow_ranks(const Capture& capture);

/// Replays `capture` without stragglers, and twice for each class of like parts (sim/analysis/like_parts.h).
/// Computations belong to their rank, messages to the sender, collectives to the part that has all their members. All
/// tasks take recorded times or means of these. Calls EngineOptions::progress after each replay, with the part of
/// replays_for_slow_ranks() that is done. Returns nothing if fewer than two ranks have steps. Throws Interrupted.
/// O(tasks log tasks) and the replays.
[[nodiscard]] std::optional<SlowRanks> slow_ranks(const Capture& capture, const EngineOptions& options);

}  // namespace stepsim::sim

#endif
