#ifndef STEPSIM_SIM_COMPARE_SIDE_H
#define STEPSIM_SIM_COMPARE_SIDE_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/job/recording.h"
#include "sim/analysis/critical_path.h"
#include "sim/analysis/job_kind.h"
#include "sim/analysis/summary.h"
#include "sim/engine/timeline.h"

/// One of the two results that are compared, whatever it came from: a capture, a prediction, a saved answer.
namespace stepsim::sim {

/// A named share of an iteration.
struct Part {
  std::string name;
  Duration time{};
};

/// Tasks of one name and kind: their own time, waiting in collectives left out.
struct WorkGroup {
  std::string name;
  std::string kind;          ///< "kernel", "collective", "host"
  std::string kernel_class;  ///< of device work: "gemm"; else empty
  double count = 0;          ///< per iteration, the mean over ranks
  Duration time{};           ///< of all of them, per iteration, the mean over ranks
};

/// What times in a Side are of.
enum class Extent : std::uint8_t {
  kIteration,     ///< of one iteration, the mean over ranks
  kWholeCapture,  ///< of all that was captured: a saved `tasks`, which does not know of iterations
  kPath,          ///< of the path through one iteration: a saved `critical-path`
  kPoints,        ///< of one iteration each: a saved `sweep`
};

struct Side {
  std::string name;     ///< as typed: a file, a folder, a change
  std::string what;     ///< what its iteration is: "measured", "predicted", "measured, saved by replay"
  std::string warning;  ///< what a reader must know before any figure (sim/report/headline.h); may be empty
  std::string caution;  ///< that not all of its input could be used; may be empty
  std::string loss;     ///< essential_loss(); may be empty
  /// Nothing where a saved answer does not say; and of a prediction beside its own capture, which are one job.
  std::optional<JobKind> job;
  std::optional<Duration> iteration;
  /// The steps of the rank that sets the iteration, where they are known; how they differ is the noise of `iteration`.
  std::vector<Duration> steps;
  /// By how much `iteration` may be off where that is known otherwise: of a prediction, half of its range.
  std::optional<Duration> uncertainty;
  std::size_t ranks = 0;             ///< 0: not known
  std::vector<Part> parts;           ///< disjoint parts of the iteration of the slowest rank
  std::vector<Part> path;            ///< classes of the critical path, which sum to its length
  std::vector<WorkGroup> work;       ///< empty where it is not known
  std::vector<WorkGroup> operators;  ///< device work by the operator that launched it; empty where that is not known
  Extent extent = Extent::kIteration;
  std::size_t outside_steps = 0;  ///< tasks that are in no whole step and so not in `work`
};

/// With the names that people read.
[[nodiscard]] std::vector<Part> named(const IterationParts& parts);

/// What a capture, or the graph of a prediction, says: `timeline` is its replay, `summary` and `path` are of that.
/// The iteration is the measured one where there is one. Tasks count as in whole steps; of a rank without steps, all.
/// Marks of steps ("ProfilerStep#12") are one name.
/// O(tasks log names). `name` and `what` are left to the caller.
[[nodiscard]] Side side_of(const Capture& capture, const Timeline& timeline, const Summary& summary,
                           const CriticalPath& path);

/// What a row stands for.
enum class By : std::uint8_t {
  kName,
  kClass,
  kKind,
  kOperator,
  kCategory,  ///< as dPRO's categories: FW, BW, UPDATE, PUSH, ...; of other work its class
};
[[nodiscard]] std::string_view to_text(By by) noexcept;  ///< "name", "class", ...

/// FW of FW.NAME, and BW, UPDATE, OUTPUT and STEP; the stage of Comm.NAME.STAGE.PARTITION; empty for other names.
[[nodiscard]] std::string_view category_of(std::string_view name) noexcept;

/// The partitions of a tensor's stage as one group: Comm.w.PUSH.0 and Comm.w.PUSH.1 are Comm.w.PUSH. By name and kind.
[[nodiscard]] std::vector<WorkGroup> without_partitions(const std::vector<WorkGroup>& work);

/// The work of a side in groups; by name as it is. Throws UsageError if the side does not know operators that are asked
/// for. O(names log names).
[[nodiscard]] std::vector<WorkGroup> groups_by(By by, const Side& side);

}  // namespace stepsim::sim

#endif
