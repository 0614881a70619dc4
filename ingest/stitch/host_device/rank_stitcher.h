#ifndef STEPSIM_INGEST_STITCH_HOST_DEVICE_RANK_STITCHER_H
#define STEPSIM_INGEST_STITCH_HOST_DEVICE_RANK_STITCHER_H

#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ingest/stitch/assembly.h"
#include "ingest/stitch/host_device/collectives.h"
#include "ingest/stitch/host_device/device_waits.h"
#include "ingest/stitch/host_device/hand_off.h"
#include "ingest/stitch/host_device/rank_events.h"
#include "ingest/stitch/host_device/thread_plan.h"

namespace stepsim::ingest {

/// Turns one rank's events into tasks and edges of an Assembly.
class RankStitcher {
 public:
  RankStitcher(RankEvents events, const RankIdentity& identity) : events_(std::move(events)), identity_(identity) {}

  void stitch(Assembly& assembly);

  /// The task that one rank's part of a collective became; invalid if it became none.
  [[nodiscard]] TaskId task_of(const CollectiveUse& use) const noexcept;

  /// The arranged events, small overlaps of device work clipped; the stitcher is done with them.
  [[nodiscard]] RankEvents release_events() noexcept { return std::move(events_); }

 private:
  void find_gradients();
  void add_gradients(Assembly& assembly);
  void place_threads(NameCache& names, Assembly& assembly);
  void start_background(const ThreadPlan& plan, Assembly& assembly) const;
  void place_device_work(NameCache& names, Assembly& assembly);
  void place_op(std::uint32_t index, NameId name, Assembly& assembly);
  [[nodiscard]] LaneId lane_of(std::uint32_t op, Assembly& assembly);
  void note_operators(Assembly& assembly) const;
  void connect_device_work(Assembly& assembly);
  void connect_threads(Assembly& assembly, const std::vector<HandOff>& hand_offs);
  void add_steps(Assembly& assembly);
  void report(Assembly& assembly, std::uint64_t unmatched_submissions) const;

  RankEvents events_;
  RankIdentity identity_;
  std::vector<ThreadPlan> plans_;
  DevicePlan device_;
  /// When a gradient is there, and on which thread.
  struct GradientMark {
    Time ready;
    std::uint32_t thread = 0;
    Bytes bytes{};
  };
  std::vector<GradientMark> gradients_;  ///< by time
  /// Tasks of one piece of device work: several where other work began in its tail.
  struct OpTasks {
    TaskId first;
    TaskId last;
  };
  std::vector<OpTasks> op_tasks_;                             ///< by op
  std::map<std::uint32_t, std::map<Time, TaskId>> op_parts_;  ///< by op, by end: the parts of divided work
  std::unordered_map<std::uint32_t, TaskId> event_task_;      ///< of host collectives, by event
  std::map<std::pair<std::uint32_t, std::uint32_t>, LaneId> stream_lanes_;  ///< by stream and row
  std::size_t first_task_ = 0;                                              ///< of this rank, in the assembly
};

}  // namespace stepsim::ingest

#endif
