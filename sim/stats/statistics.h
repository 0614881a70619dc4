#ifndef STEPSIM_SIM_STATS_STATISTICS_H
#define STEPSIM_SIM_STATS_STATISTICS_H

#include <string>
#include <utility>
#include <vector>

#include "model/job/range_profile.h"
#include "sim/stats/call_stacks.h"
#include "sim/stats/copy_use.h"
#include "sim/stats/device_use.h"
#include "sim/stats/flops_use.h"
#include "sim/stats/launches.h"
#include "sim/stats/memory_use.h"
#include "sim/stats/occupancy_use.h"
#include "sim/stats/stage_use.h"
#include "sim/stats/stats_rows.h"
#include "sim/stats/stream_use.h"

namespace stepsim::sim {

/// All that is counted of one input. Plain data: refers to nothing.
struct Statistics {
  std::string name;     ///< the input as typed
  std::string warning;  ///< what a reader must know before any figure (sim/report/headline.h); may be empty
  std::string caution;
  std::string headline;    ///< the first line, where it is not made of the figures of a capture; else empty
  std::size_t pieces = 0;  ///< of work
  std::size_t ranks = 0;
  std::size_t steps = 0;      ///< whole ones, of all ranks
  std::string step_numbers;   ///< "2-6"; empty without steps
  bool chosen_steps = false;  ///< only the work of steps that were asked for counts
  bool measured = true;       ///< false: a task graph, which nobody ran
  bool has_calls = false;     ///< calls on host threads were recorded: `self` differs from totals
  StatsKey key = StatsKey::kName;
  StatsOrder order = StatsOrder::kSelf;
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
  std::vector<MemoryUse> memory;  ///< of the whole capture
  std::vector<ModuleUse> modules;
  std::vector<CallStack> stacks;
  std::vector<RankTransport> transports;
  std::vector<std::pair<Rank, OverheadUse>> overheads;  ///< of the whole capture, as details have it
};

struct StatsOptions {
  StatsKey key = StatsKey::kName;
  StatsOrder order = StatsOrder::kSelf;
  bool only_steps = false;  ///< only work in the steps that were asked for counts, though these may be all
};

/// Throws CannotAnswer as stats_rows() does. O(pieces log pieces).
[[nodiscard]] Statistics statistics_of(const Capture& capture, const TraceDetails& details, std::string name,
                                       const StatsOptions& options);

/// What an inline profiler measured, by range, layer, lane (stream) or rank (device): each measurement is a piece. The
/// time of a range holds that of the ranges in it, so shares are of those that lie in no other. Throws CannotAnswer for
/// other keys, and where no range has a layer. O(measurements log measurements).
[[nodiscard]] Statistics statistics_of(const ProfiledRun& run, const StatsOptions& options);

}  // namespace stepsim::sim

#endif
