#ifndef STEPSIM_SIM_ANALYSIS_SUMMARY_H
#define STEPSIM_SIM_ANALYSIS_SUMMARY_H

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "model/job/recording.h"
#include "sim/analysis/activity.h"
#include "sim/analysis/rank_steps.h"
#include "sim/engine/timeline.h"

/// Measured beside replayed: can the model of this capture be trusted?
///
///     rank  step     measured     replayed    error  from the other steps
///        0     4   105.112 ms   105.100 ms  -0.01 %   +0.40 %
///
/// * A step's time: from the start of its first task to the start of the rank's next step. If none follows,
///   to the latest end of its tasks, and then not from before the completion of the step before. Where the
///   device sets the pace, from the completion of the step before to its own, and the first step has no row
///   (sim/analysis/rank_steps.h).
/// * Held out: the step predicted from the rank's other whole steps alone, as the median of
///   their replayed times.
/// * A rank's iteration: the midmean of the distances between the starts of consecutive whole steps, or between
///   their completions if that is longer; without two such steps, the midmean of the steps; without steps, first
///   start to last end. The job's iteration is the longest over ranks (docs/fidelity.md); of a task graph,
///   from the first start to the last end of all.
/// * Unexplained wait: for each rank, the time of an iteration during which at least one of
///   its lanes waits for something that nothing explains; the largest over ranks.
namespace stepsim::sim {

struct StepReport {
  Rank rank = 0;
  TimedStep timed;
  std::int64_t step = 0;
  Duration measured{};
  Duration replayed{};
  double error = 0;                      ///< (replayed - measured) / measured; 0 if measured is 0
  std::optional<double> held_out_error;  ///< absent if the rank has no other whole step
};

struct IterationReport {
  std::optional<Pace> pace;  ///< of the slowest rank; absent if none has two consecutive steps with device work
  Duration measured{};
  Duration replayed{};
  double error = 0;
  double mean_abs_error = 0;   ///< over whole steps
  double worst_abs_error = 0;  ///< over whole steps
};

/// Where a rank's replayed time goes, per iteration. Each is the length of a union over the
/// rank's lanes, so they overlap and do not sum to the iteration.
struct RankBreakdown {
  Rank rank = 0;
  Duration iteration{};  ///< replayed
  Duration compute{};
  Duration communication{};          ///< moving data, without waiting for other ranks
  Duration exposed_communication{};  ///< the part of it while no compute runs
  Duration copies{};                 ///< within a device, or between it and its host
  Duration collective_wait{};        ///< in a collective before its last member arrived
  Duration loader{};                 ///< a thread waits for processes that load data
  Duration host{};
  Duration idle{};  ///< none of the above
  Duration unexplained{};
};

struct UnexplainedKind {
  std::string_view kind;
  Duration wait{};  ///< summed over tasks and ranks, the whole capture
  std::uint64_t count = 0;
};

struct Summary {
  bool measured = false;                                 ///< false for a task graph: nothing was recorded
  bool marked = false;                                   ///< the capture marks steps
  std::vector<StepReport> steps;                         ///< whole steps, by rank, then number
  std::vector<std::pair<Rank, std::int64_t>> set_aside;  ///< steps the capture cut
  IterationReport iteration;
  std::vector<RankBreakdown> ranks;          ///< by rank
  IterationParts parts;                      ///< of slowest_rank()
  Duration unexplained_wait{};               ///< per iteration, the largest over ranks
  std::vector<UnexplainedKind> unexplained;  ///< the longest first
};

/// O(tasks log tasks). Precondition: `timeline` is a replay of capture.dag.
[[nodiscard]] Summary summarize(const Capture& capture, const Timeline& timeline);

/// The rank with the longest replayed iteration, of several the first; all zeros if there is no rank. If
/// any rank has steps, only those that have (a worker that was not captured has none).
[[nodiscard]] RankBreakdown slowest_rank(const Summary& summary);

/// summarize(capture, timeline).iteration.replayed and nothing else, for sweeps of thousands of replays.
/// O(tasks), without memory for each task.
[[nodiscard]] Duration replayed_iteration(const Capture& capture, const Timeline& timeline);

/// What recording a job did to its steps.
struct Slowing {
  Duration recorded{};  ///< the measured iteration of the capture
  Duration free{};      ///< job.yaml's measured_step: what a step takes when nobody records it; > 0
  Duration shortest{};  ///< of the recorded steps, any rank's
  /// 0.05: recorded steps take 5 % longer. Below 0 where they take less, which says how far the two can be compared.
  [[nodiscard]] double share() const noexcept;
  /// Whether every recorded step took longer than a free one. If not, the difference may be that of any two steps.
  [[nodiscard]] bool is_seen() const noexcept { return free < shortest; }
};

/// Nothing without a measured_step, or where the capture has no measured times. Precondition: `summary` is of
/// `capture`.
[[nodiscard]] std::optional<Slowing> slowing_of(const Capture& capture, const Summary& summary);

}  // namespace stepsim::sim

#endif
