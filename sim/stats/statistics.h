#ifndef STEPSIM_SIM_STATS_STATISTICS_H
#define STEPSIM_SIM_STATS_STATISTICS_H

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/job/range_profile.h"
#include "sim/stats/call_stacks.h"
#include "sim/stats/compute_use.h"
#include "sim/stats/device_use.h"
#include "sim/stats/launches.h"
#include "sim/stats/memory_use.h"
#include "sim/stats/stage_use.h"
#include "sim/stats/stats_rows.h"

namespace stepsim::sim {

/// The statistics of one input. Contains no references.
struct Statistics {
  std::string name;     ///< the input as typed
  std::string warning;  ///< what a reader must know before any figure (sim/report/headline.h); may be empty
  std::string caution;
  std::string selection;   ///< what the selected work is called; empty if all work counts
  std::string headline;    ///< the first line, if it is not made from the figures of a capture; else empty
  std::size_t pieces = 0;  ///< number of pieces of work
  std::size_t ranks = 0;
  std::size_t steps = 0;      ///< number of whole steps of all ranks
  std::string step_numbers;   ///< for example "2-6"; empty without steps
  bool chosen_steps = false;  ///< true if only the work of selected steps counts
  bool measured = true;       ///< false for a task graph, which never ran
  bool has_calls = false;     ///< true if calls on host threads were recorded, so that `self` differs from totals
  StatsKey key = StatsKey::kName;
  StatsOrder order = StatsOrder::kSelf;
  bool prints_sequences = false;  ///< true to print `sequences`, which files and --json always have
  WorkTotals totals;
  std::vector<StatsRow> rows;
  std::vector<DeviceUse> devices;
  std::vector<StageUse> stages;
  std::vector<StreamUse> streams;
  std::vector<LaunchUse> launches;
  std::vector<CopyUse> copies;
  std::vector<KernelSequence> sequences;
  OccupancyUse occupancy;
  std::vector<FlopsUse> flops;
  std::optional<double> utilisation{};  ///< flops_utilisation()
  std::vector<MemoryUse> memory;        ///< memory use over the whole capture
  std::vector<ModuleUse> modules;
  std::vector<CallStack> stacks;
  std::vector<RankTransport> transports;
  std::vector<std::pair<Rank, OverheadUse>> overheads;  ///< overheads of the whole capture, as in TraceDetails
};

struct StatsOptions {
  StatsKey key = StatsKey::kName;
  StatsOrder order = StatsOrder::kSelf;
  bool prints_sequences = false;
  bool only_steps = false;  ///< true to count only work in the selected steps, even if all steps are selected
  /// The tasks whose work counts, and what they are called: "{class=gemm}". Without a name, all work counts.
  std::vector<TaskId> selected{};
  std::string selection{};
};

/// Returns the statistics of a capture. With a selection, only the rows and totals of the selected work. Throws
/// CannotAnswer as stats_rows() does. O(pieces log pieces).
[[nodiscard]] Statistics statistics_of(const Capture& capture, const TraceDetails& details, std::string name,
                                       const StatsOptions& options);

/// Returns statistics of an inline profiler's measurements by range, layer, lane (stream) or rank (device); each
/// measurement is a piece. The time of a range includes the ranges in it, so shares are relative to ranges that are in
/// no other range. Throws CannotAnswer for other keys, and if no range has a layer. O(measurements log measurements).
[[nodiscard]] Statistics statistics_of(const ProfiledRun& run, const StatsOptions& options);

}  // namespace stepsim::sim

#endif
