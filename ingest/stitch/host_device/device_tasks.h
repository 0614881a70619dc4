#ifndef STEPSIM_INGEST_STITCH_HOST_DEVICE_DEVICE_TASKS_H
#define STEPSIM_INGEST_STITCH_HOST_DEVICE_DEVICE_TASKS_H

#include <cstdint>
#include <map>
#include <vector>

#include "ingest/stitch/assembly.h"
#include "ingest/stitch/host_device/collectives.h"
#include "ingest/stitch/host_device/device_waits.h"
#include "ingest/stitch/host_device/host_threads.h"
#include "ingest/stitch/host_device/rank_events.h"
#include "model/job/trace_details.h"

namespace stepsim::ingest {

/// The tasks of one rank's device work.
struct DeviceTasks {
  /// The tasks of one kernel, copy or memset. Usually there is one task. There are several if work on another stream
  /// used room that this kernel, copy or memset left on the device shortly before its end (StreamWait::Why::kRoom). The
  /// tasks then divide the span at the begin of that other work.
  struct Op {
    TaskId first;
    TaskId last;
  };
  std::vector<Op> ops;  ///< by op
  /// The tasks of split work, except the last one of each: by op, then by the end of the task.
  std::map<std::uint32_t, std::map<Time, TaskId>> parts;

  /// Calls `visit` with each task of an op, in order of time.
  template <class Visit>
  void for_each_task(std::uint32_t op, Visit visit) const {
    if (const auto divided = parts.find(op); divided != parts.end()) {
      for (const auto& [end, task] : divided->second) visit(task);
    }
    visit(ops[op].last);
  }
};

/// Adds the tasks of a rank's device work to `assembly`, each on the lane of its stream and row. Work belongs to the
/// step in which it was launched, or to no step if it was launched before the capture began.
[[nodiscard]] DeviceTasks add_device_tasks(const RankEvents& events, const DeviceWaits& waits,
                                           const RankIdentity& identity, EventNames& names, Assembly& assembly);

/// Adds the edges to device work: from the previous work on its stream, from the call that launched it, and from work
/// on other streams that it waited for. The lag of each edge is the usual delay, or the recorded delay if that is
/// shorter. The dependency that is satisfied last determines when the work can start. Its edge may have a longer lag,
/// up to the longest delay that counts as usual (docs/internals/stitching.md). finish() treats the rest of a delay as
/// unexplained. Precondition: add_tasks() was called for all `threads`.
void connect_device_tasks(const RankEvents& events, const DeviceWaits& waits, const DeviceTasks& tasks,
                          const std::vector<HostThread>& threads, Assembly& assembly);

/// Enters in assembly.operators the operator of each task of device work: the innermost operator with recorded shapes
/// around the launching call. Does nothing if no shapes were recorded. Operators and occurrences get numbers after
/// those of earlier ranks. O(events log events).
void add_operator_uses(const RankEvents& events, const DeviceTasks& tasks, Assembly& assembly);

/// Enters in assembly.annotations the annotations and modules around each task's launching call, on the call's thread.
/// While the main thread waits for that thread (see explain_silences()), the main thread's annotations are entered too.
/// Inside 64 others, annotations are left out; returns the number of these. O(events + device work * nesting).
std::uint64_t add_annotation_uses(const RankEvents& events, const std::vector<HostThread>& threads,
                                  const DeviceTasks& tasks, Assembly& assembly);

/// Enters in assembly.launches the launch configuration of each kernel. Does nothing if none were recorded. Launches
/// get numbers after those of earlier ranks. O(ops + kernels with a launch).
void add_kernel_launches(const RankEvents& events, const DeviceTasks& tasks, Assembly& assembly);

/// Enters in assembly.allocations the rank's allocations, each with the innermost operator with recorded shapes around
/// it. Operators get numbers after those of earlier ranks. O(events + allocations log allocations).
void add_allocations(const RankEvents& events, Rank rank, Assembly& assembly);

/// Appends to `details` a rank's calls on host threads and the launching call of each task in `tasks`. The work of
/// operators, recorded or derived from their shapes, counts only once, for the outermost operator with known work.
/// O(calls log calls).
void add_trace_details(const RankEvents& events, const DeviceTasks& tasks, Rank rank, TraceDetails& details);

}  // namespace stepsim::ingest

#endif
