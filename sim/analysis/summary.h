#ifndef STEPSIM_SIM_ANALYSIS_SUMMARY_H
#define STEPSIM_SIM_ANALYSIS_SUMMARY_H

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "model/job/recording.h"
#include "sim/analysis/activity.h"
#include "sim/analysis/rank_steps.h"
#include "sim/engine/timeline.h"

/// Compares a replay with the measurement, to show whether the model of the capture can be trusted.
///
///     rank  step     measured     replayed    error  from the other steps
///        0     4   105.112 ms   105.100 ms  -0.01 %   +0.40 %
///
/// * A step's time is the time from the start of its first task to the start of the rank's next step. If no step
///   follows, it lasts until the latest end of the step's tasks, and it begins at the completion of the previous step
///   if that is later. If the device limits the pace, it is the time from the completion of the previous step to the
///   step's own completion; the first step then has no row (sim/analysis/rank_steps.h).
/// * "From the other steps" (held_out_error) predicts the step from the rank's other whole steps alone, as the median
///   of their replayed times.
/// * A rank's iteration is the midmean of the distances between the starts of consecutive whole steps, or between their
///   completions if that is longer. Without two such steps it is the midmean of the steps; without steps, the time from
///   the first start to the last end. The job's iteration is the longest over ranks (docs/internals/answers.md); for a
///   task graph, the time from the first start to the last end of all tasks.
/// * The unexplained wait of a rank is the time of an iteration during which at least one of its lanes has an
///   unexplained wait. The job's unexplained wait is the largest over ranks.
namespace stepsim::sim {

struct StepReport {
  Rank rank = 0;
  TimedStep timed;
  std::int64_t step = 0;
  Duration measured{};
  Duration replayed{};
  double error = 0;  ///< (replayed - measured) / measured; 0 if measured is 0
  /// Relative error of this step if it is predicted from the other steps; absent if the rank has no other whole step.
  std::optional<double> held_out_error;
};

struct IterationReport {
  std::optional<Pace> pace;  ///< pace of the slowest rank; absent if none has two consecutive steps with device work
  Duration measured{};
  Duration replayed{};
  /// Mean of the measured steps of the slowest rank, of which `measured` is the midmean; 0 without steps.
  Duration mean{};
  /// The same replayed, without gaps: the time from the first whole step's start to the last one's end, divided by
  /// their number; 0 without steps. And how much of it the rank waits for data.
  Duration mean_replayed{};
  Duration mean_loader{};
  double error = 0;
  double mean_abs_error = 0;   ///< mean of |error| over whole steps
  double worst_abs_error = 0;  ///< largest |error| over whole steps
};

/// The breakdown of a rank's replayed time, as means over its TypicalIterations (sim/analysis/activity.h), the same
/// that the iteration is the mean of. Each part is the length of a union over the rank's lanes, so the parts overlap
/// and do not sum to the iteration. The exposed parts are those of IterationParts: with `compute`, `other_steps`,
/// `idle` and the rest, which is host work, they sum to the iteration.
struct RankBreakdown {
  Rank rank = 0;
  Duration iteration{};  ///< replayed duration
  Duration compute{};
  Duration communication{};          ///< time of moving data, without waiting for other ranks
  Duration exposed_communication{};  ///< the part of `communication` while no compute runs
  Duration copies{};                 ///< within a device, or between it and its host
  Duration collective_wait{};        ///< time in a collective before its last member arrived
  Duration loader{};                 ///< time in which a thread waits for processes that load data
  Duration host{};
  Duration other_steps{};  ///< time in which only work of other steps runs
  Duration idle{};         ///< time in which nothing runs
  Duration exposed_copies{};
  Duration exposed_collective_wait{};
  Duration exposed_loader{};
  /// Time in which a stream is busy, whichever step launched its work, also while its collective waits for other ranks.
  Duration device_busy{};
  /// The time from the begin of the first device work of the whole capture to the end of the last, and how much of it a
  /// stream is busy.
  Duration device_span{};
  Duration busy_of_span{};
  Duration unexplained{};
  /// False if no device work was recorded, or only part of it: BytePS records NCCL's kernels, and layers as operators.
  bool computes_on_device = false;

  /// Returns the share of `communication` that runs beside compute; nothing without communication.
  [[nodiscard]] std::optional<double> overlap() const noexcept;
};

struct UnexplainedKind {
  std::string_view kind;
  Duration wait{};  ///< summed over tasks and ranks, for the whole capture
  std::uint64_t count = 0;
};

struct Summary {
  bool measured = false;                                 ///< false if nobody ran the job: task graphs, modelled times
  bool marked = false;                                   ///< true if the capture marks steps
  std::vector<StepReport> steps;                         ///< whole steps, ordered by rank, then number
  std::vector<std::pair<Rank, std::int64_t>> set_aside;  ///< steps that the capture cut, by rank and number
  IterationReport iteration;
  std::vector<RankBreakdown> ranks;          ///< sorted by rank
  IterationParts parts;                      ///< parts of the iteration of slowest_rank()
  Duration unexplained_wait{};               ///< unexplained wait per iteration, the largest over ranks
  std::vector<UnexplainedKind> unexplained;  ///< kinds of unexplained waits, the longest first
};

/// Summarizes a replay. O(tasks log tasks). Precondition: `timeline` is a replay of capture.dag.
[[nodiscard]] Summary summarize(const Capture& capture, const Timeline& timeline);

/// Returns the share of a mean step in which the slowest rank waits for data; without steps, of the iteration.
[[nodiscard]] double waiting_for_data(const Summary& summary) noexcept;

/// If waits for a data loader take at least this share of an iteration, the loader limits the job. Smaller waits prove
/// nothing: in the available captures, receiving a batch that is ready takes 0.1 to 1.4 ms, about 1 % of a step.
inline constexpr double kLoaderSetsPace = 0.05;

/// Returns the rank with the longest replayed iteration, the first one for ties; all zeros if there is no rank. If any
/// rank has steps, only ranks with steps count (a worker that was not captured has none).
[[nodiscard]] RankBreakdown slowest_rank(const Summary& summary);

/// Returns the same as summarize(capture, timeline).iteration.replayed, in less time: for sweeps of thousands of
/// replays. O(tasks); uses no memory per task.
[[nodiscard]] Duration replayed_iteration(const Capture& capture, const Timeline& timeline);
/// The same if rank_steps() of the replay is known. O(ranks) for a capture with recorded times.
[[nodiscard]] Duration replayed_iteration(const Capture& capture, const Timeline& timeline,
                                          const std::map<Rank, RankSteps>& ranks);

/// How much recording slowed the job's steps.
struct Slowing {
  Duration recorded{};  ///< the measured iteration of the capture
  Duration free{};      ///< job.yaml's measured_step: the time of a step without recording; > 0
  Duration shortest{};  ///< the shortest recorded step of any rank
  /// Returns the relative difference: 0.05 means that recorded steps take 5 % longer. A negative value means that they
  /// take less time, so the two times are not fully comparable.
  [[nodiscard]] double share() const noexcept;
  /// True if every recorded step took longer than a step without recording. Otherwise the difference may be normal
  /// variation between steps.
  [[nodiscard]] bool is_seen() const noexcept { return free < shortest; }
};

/// Returns how much recording slowed the steps; nothing without a measured_step, or if the capture has no measured
/// times. Precondition: `summary` was computed from `capture`.
[[nodiscard]] std::optional<Slowing> slowing_of(const Capture& capture, const Summary& summary);

}  // namespace stepsim::sim

#endif
