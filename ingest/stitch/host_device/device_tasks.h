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
  /// One piece of work is several tasks if other work began in its tail (StreamWait::Why::kRoom).
  struct Op {
    TaskId first;
    TaskId last;
  };
  std::vector<Op> ops;  ///< by op
  /// Of divided work: all parts but the last, by op, then by their end.
  std::map<std::uint32_t, std::map<Time, TaskId>> parts;

  /// Calls `visit` with each task of an op, the last one last.
  template <class Visit>
  void for_each_task(std::uint32_t op, Visit visit) const {
    if (const auto divided = parts.find(op); divided != parts.end()) {
      for (const auto& [end, task] : divided->second) visit(task);
    }
    visit(ops[op].last);
  }
};

/// Adds the tasks of a rank's device work to `assembly`, each on the lane of its stream and row. A
/// piece of work belongs to the step in which it was launched, to none if that was before the capture began.
[[nodiscard]] DeviceTasks add_device_tasks(const RankEvents& events, const DeviceWaits& waits,
                                           const RankIdentity& identity, EventNames& names, Assembly& assembly);

/// Adds the edges to device work: from the work before it on its stream, from the call that launched
/// it and from what it waited for on other streams. Each edge carries its usual delay as lag, and the
/// binding one as much more as is still usual (docs/stitching.md). The rest of a delay is left to finish(),
/// as unexplained. `threads` have their tasks already.
void connect_device_tasks(const RankEvents& events, const DeviceWaits& waits, const DeviceTasks& tasks,
                          const std::vector<HostThread>& threads, Assembly& assembly);

/// Enters in assembly.operators which operator each task of device work belongs to: of those around
/// the launching call, the innermost whose shapes were recorded. Does nothing where no shapes were
/// recorded. Operators and occurrences are numbered on from those of the ranks before.
/// O(events log events).
void add_operator_uses(const RankEvents& events, const DeviceTasks& tasks, Assembly& assembly);

/// Enters in assembly.annotations the annotations and modules around the call that launched each task of device work,
/// on the thread of that call, and those of the main thread while it waits for that thread (explain_silences()).
/// O(events + device work * nesting).
void add_annotation_uses(const RankEvents& events, const std::vector<HostThread>& threads, const DeviceTasks& tasks,
                         Assembly& assembly);

/// Enters in assembly.launches how each kernel was launched. Does nothing where that was not recorded. Launches are
/// numbered on from those of the ranks before. O(ops + kernels with a launch).
void add_kernel_launches(const RankEvents& events, const DeviceTasks& tasks, Assembly& assembly);

/// Appends a rank's calls on host threads, which of them launched which task of `tasks`, and what was allocated to
/// `details`. Work that operators state themselves or
/// that follows from their shapes counts once, for the outermost operator that has some.
/// O(calls log calls).
void add_trace_details(const RankEvents& events, const DeviceTasks& tasks, Rank rank, TraceDetails& details);

}  // namespace stepsim::ingest

#endif
