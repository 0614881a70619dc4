#ifndef STEPSIM_INGEST_STITCH_ASSEMBLY_H
#define STEPSIM_INGEST_STITCH_ASSEMBLY_H

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/base/assumption.h"
#include "model/base/diagnostics.h"
#include "model/job/allocations.h"
#include "model/job/dag_builder.h"
#include "model/job/parameter_server/workload.h"
#include "model/job/recording.h"
#include "model/job/trace_details.h"

namespace stepsim::ingest {

/// Tolerance of recorded times. If one thread or processor continues because of another, their recordings may overlap
/// by a few microseconds. Work that overlaps by at most this much is assumed to have run one after the other.
inline constexpr Duration kClockGrain{5'000};

/// A job while its parts are joined: tasks, edges, and the recorded times. The stitchers fill it, keep_steps() may
/// remove steps, and finish() turns it into a Capture. Task ids are those of `builder`. Times are on the reference
/// host's clock.
struct Assembly {
  DagBuilder builder;
  std::vector<Time> start;  ///< recorded start, by task; `start`, `finish` and `step` are empty if nothing was measured
  std::vector<Time> finish;           ///< recorded end, by task
  std::vector<std::int32_t> step;     ///< index into steps, -1 if none; by task
  std::vector<std::uint32_t> events;  ///< as in Recording, by task; 0 if the stitcher does not count events
  std::vector<RecordedStep> steps;
  /// Time within a task's recorded span in which it only waited, for a cause that no edge shows. finish() removes it
  /// from the duration and adds it to a lag before the task. Each task appears at most once.
  std::vector<std::pair<TaskId, Duration>> waits_within;
  std::vector<TaskId> silences;                   ///< as in Recording, in any order
  std::vector<Recording::Pause> pauses;           ///< as in Recording, in any order
  std::vector<Recording::InferredEdge> inferred;  ///< as in Recording, in any order
  std::vector<HostClock> clocks;
  Diagnostics diagnostics;
  Assumptions assumptions;
  std::optional<std::int64_t> samples;         ///< samples of a step, if traces say them
  std::optional<Cluster> cluster;              ///< the hardware, if the input itself describes it
  std::vector<Gradient> gradients;             ///< by rank, in the order in which they were completed
  std::optional<PsWorkload> parameter_server;  ///< only for a parameter-server job
  OperatorTable operators;                     ///< operators of device work, if their shapes were recorded
  LaunchTable launches;                        ///< launch configurations of kernels, if they were recorded
  AnnotationTable annotations;                 ///< annotations around device work
  AllocationTable allocations;                 ///< allocations of memory, if they were recorded
  std::map<Rank, std::string> devices;         ///< name of each rank's accelerator, from its trace
  std::map<Rank, Bytes> device_memory;         ///< memory of each rank's accelerator, if its trace states it
  std::map<Rank, ParallelPlace> places;        ///< as in Capture
  std::optional<std::int64_t> ranks_of_batch;  ///< as in HostDeviceTrace
  std::vector<std::int64_t> task_ids;          ///< by task, its id in a task graph's file; empty for traces
  TraceDetails* details = nullptr;             ///< if not null, the stitchers fill it too
  int threads = 1;                             ///< number of threads to use; does not affect the result
  bool measured = true;                        ///< false for a task graph: nobody ran it, so no times were recorded

  /// Adds a task that was recorded from `begin` to `end`, and takes that span as its duration. If a part of the span is
  /// waiting that the replay must reproduce, call builder.set_duration() afterwards. `step_index` is an index into
  /// steps, or -1.
  TaskId add_task(TaskKind kind, NameId name, LaneId lane, Time begin, Time end, std::int32_t step_index,
                  Bytes bytes = {});
  void add_edge(TaskId from, TaskId to, EdgeKind kind, Duration lag = {}) { builder.add_edge(from, to, kind, lag); }
  /// Returns the id of the group of a collective with these members; equal groups have one id. Invalid if only the
  /// number of its ranks is known, and all of them are members. A list without the members' ranks is ignored: the trace
  /// does not number its ranks as the job does. O(size log groups).
  GroupId add_group(Group group, std::span<const TaskId> members);

  std::map<Group, GroupId> group_ids;  ///< what add_group() returned so far
};

/// Returns each rank's task with the earliest recorded start. If several start then, or nothing was measured, returns
/// the one with the smallest id.
[[nodiscard]] std::map<Rank, TaskId> first_tasks(const Assembly& assembly);

/// Restricts the job to the steps numbered `first` to `last`. Tasks of later steps are removed. Tasks of earlier steps
/// stay, because the selected steps may wait for work that began there, such as work still queued on a device; the
/// earlier steps are only marked as not asked for. Throws UsageError, which names the available steps, if no selected
/// step has a task. O(tasks + edges).
void keep_steps(Assembly& assembly, std::int64_t first, std::int64_t last);

/// Builds the Dag, and moves the recording to the Dag's ids. First turns delays that no edge explains into lags, so
/// that the replay reproduces the recorded times, and lists each as an unexplained wait:
///
/// * If a task was recorded to start later than its edges allow, the difference is added as lag to the binding edge:
///   the one whose predecessor's end plus lag is the latest.
/// * A task without predecessors gets an edge with such a lag from its rank's first task, or from a task of no length
///   that is added there if the first task still runs when it starts.
/// * The time in `waits_within` becomes lag too, and the task's duration shrinks by it.
/// * If a task was recorded to start more than 5 us before a predecessor's end, the recording contradicts the edge. The
///   edge stays and is counted.
///
/// Lags with a known cause (launch latency, a stream's turn-around) were already put on their edges by the stitchers
/// and are not listed. A task graph (measured is false) gets no lags. Throws CycleError if the edges form a cycle, and
/// InputError if there is no task.
[[nodiscard]] Capture finish(Assembly&& assembly);

}  // namespace stepsim::ingest

#endif
