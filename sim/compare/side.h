#ifndef STEPSIM_SIM_COMPARE_SIDE_H
#define STEPSIM_SIM_COMPARE_SIDE_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/job/recording.h"
#include "sim/analysis/critical_path.h"
#include "sim/analysis/job_kind.h"
#include "sim/analysis/summary.h"
#include "sim/engine/timeline.h"

/// One of the results that are compared. It may come from a capture, a prediction or a saved answer.
namespace stepsim::sim {

/// A named share of an iteration.
struct Part {
  std::string name;
  Duration time{};
};

/// Tasks with the same name and kind, with their own time, without waiting in collectives.
struct WorkGroup {
  std::string name;
  std::string kind;          ///< for example "kernel", "collective", "host"
  std::string kernel_class;  ///< class of device work: "gemm"; otherwise empty
  double count = 0;          ///< number of tasks per iteration, the mean over ranks
  Duration time{};           ///< total time per iteration, the mean over ranks
};

/// The period that the times in a Side cover.
enum class Extent : std::uint8_t {
  kIteration,     ///< times are of one iteration, as the mean over ranks
  kWholeCapture,  ///< the whole capture: a saved answer of `tasks` has no iterations
  kPath,          ///< the path through one iteration, as in a saved answer of `critical-path`
  kPoints,        ///< one iteration for each point, as in a saved answer of `sweep`
};

/// A property of a rank's steps that a gate can limit.
enum class Gauge : std::uint8_t {
  kStepTime,
  kExposed,   ///< time in which the rank communicates, moving data or waiting for other ranks, and computes nothing
  kGpuIdle,   ///< time in which no stream of the rank is busy
  kLaunches,  ///< number of calls that launch work on the rank's devices
};
inline constexpr std::array<std::string_view, 4> kGaugeNames{"step-time", "exposed", "gpu-idle", "launches"};
[[nodiscard]] constexpr std::string_view to_text(Gauge gauge) noexcept {
  return kGaugeNames[static_cast<std::size_t>(gauge)];
}

struct Side {
  std::string name;     ///< name as typed: a file, a folder, a change
  std::string what;     ///< what its iteration is: "measured", "predicted", "measured, saved by replay"
  std::string warning;  ///< what a reader must know before any figure (sim/report/headline.h); may be empty
  std::string caution;  ///< states that part of the input could not be used; may be empty
  std::string loss;     ///< result of essential_loss(); may be empty
  /// The kind of job. It is absent if a saved answer does not contain it. It is also absent for a prediction compared
  /// with its own capture, because both are the same job.
  std::optional<JobKind> job;
  std::optional<Duration> iteration;
  /// The steps of the rank that determines the iteration, if known; their spread is the noise of `iteration`.
  std::vector<Duration> steps;
  /// The possible error of `iteration` if it is known from something other than `steps`: for a prediction, how far its
  /// range reaches towards the other side's iteration.
  std::optional<Duration> uncertainty;
  /// Values of gauges other than the step time for the same steps; a count is in nanoseconds too. A gauge is missing if
  /// it is not known: a saved answer has none, and a capture without device work has none of its devices.
  std::map<Gauge, std::vector<Duration>> gauges;
  std::size_t ranks = 0;             ///< number of ranks; 0 if unknown
  std::vector<Part> parts;           ///< disjoint parts of the iteration of the slowest rank
  std::vector<Part> path;            ///< classes of the critical path, which sum to its length
  std::vector<WorkGroup> work;       ///< work in groups; empty if unknown
  std::vector<WorkGroup> operators;  ///< device work by the operator that launched it; empty if unknown
  Extent extent = Extent::kIteration;
  std::size_t outside_steps = 0;  ///< tasks that are in no whole step and so not in `work`
  /// Of a saved what-if: the files that it was asked about, and its changes in the form that --set accepts.
  std::vector<std::string> asked_about;
  std::vector<std::string> changes;
};

/// Returns the parts with their displayed names.
[[nodiscard]] std::vector<Part> named(const IterationParts& parts);

/// Makes a side from a capture, or from the graph of a prediction. `timeline` is its replay, and `summary` and `path`
/// are computed from this replay. The iteration is the measured one if there is one. Only tasks in whole steps count;
/// for a rank without steps, all tasks. Numbered step marks ("ProfilerStep#12") count as one name. O(tasks log names).
/// The caller sets `name` and `what`.
[[nodiscard]] Side side_of(const Capture& capture, const Timeline& timeline, const Summary& summary,
                           const CriticalPath& path);

/// The property by which work is grouped into rows.
enum class By : std::uint8_t {
  kName,
  kClass,
  kKind,
  kOperator,
  kCategory,  ///< dPRO's categories: FW, BW, UPDATE, PUSH, ...; other work by class
};
[[nodiscard]] std::string_view to_text(By by) noexcept;  ///< returns "name", "class", ...

/// Returns FW for FW.NAME, and likewise BW, UPDATE, OUTPUT and STEP; the stage for Comm.NAME.STAGE.PARTITION; empty for
/// other names.
[[nodiscard]] std::string_view category_of(std::string_view name) noexcept;

/// Merges the partitions of a tensor's stage into one group: Comm.w.PUSH.0 and Comm.w.PUSH.1 become Comm.w.PUSH. The
/// result is sorted by name and kind.
[[nodiscard]] std::vector<WorkGroup> without_partitions(const std::vector<WorkGroup>& work);

/// Returns the work of a side in groups; for By::kName unchanged. Throws UsageError if operators are requested and the
/// side has none. O(names log names).
[[nodiscard]] std::vector<WorkGroup> groups_by(By by, const Side& side);

}  // namespace stepsim::sim

#endif
