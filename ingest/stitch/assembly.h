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
#include "model/job/dag_builder.h"
#include "model/job/parameter_server/workload.h"
#include "model/job/recording.h"
#include "model/job/trace_details.h"

namespace stepsim::ingest {

/// Recordings of two threads or processors overlap by a few microseconds where one goes on because of the other: what
/// overlaps by up to this ran one after the other.
inline constexpr Duration kClockGrain{5'000};

/// A job while its parts are joined: tasks, edges, and what was recorded of them. The stitchers fill
/// it in, keep_steps() may cut it, finish() makes a Capture of it. Task ids are the builder's. Times
/// are on the reference host's clock.
struct Assembly {
  DagBuilder builder;
  std::vector<Time> start;         ///< recorded start, by task; this and the next two are empty if nothing was measured
  std::vector<Time> finish;        ///< recorded end, by task
  std::vector<std::int32_t> step;  ///< index into steps, -1 if none; by task
  std::vector<std::uint32_t> events;  ///< as in Recording: 0 unless a stitcher counts; by task
  std::vector<RecordedStep> steps;
  /// How long tasks only waited within their recorded spans, for what no edge says: no part of their durations, but
  /// lags before them. Each task at most once.
  std::vector<std::pair<TaskId, Duration>> held_up;
  std::vector<TaskId> silences;                   ///< as in Recording, in any order
  std::vector<Recording::InferredEdge> inferred;  ///< the same
  std::vector<HostClock> clocks;
  Diagnostics diagnostics;
  Assumptions assumptions;
  std::optional<Cluster> cluster;              ///< the hardware, where the input itself describes it
  std::vector<Gradient> gradients;             ///< by rank, in the order in which they were complete
  std::optional<PsWorkload> parameter_server;  ///< of a parameter-server job
  OperatorTable operators;                     ///< of device work, where operators' shapes were recorded
  LaunchTable launches;                        ///< of kernels, where that was recorded
  AnnotationTable annotations;                 ///< around device work
  std::map<Rank, std::string> devices;         ///< what a rank's trace calls its accelerator
  std::optional<std::int64_t> ranks_of_batch;  ///< as in HostDeviceTrace
  std::vector<std::int64_t> task_ids;          ///< by task: its id in a task graph's file; empty for traces
  TraceDetails* details = nullptr;             ///< to be filled in as well, where somebody asks for it
  int threads = 1;                             ///< that may work on it; never changes the result
  bool measured = true;                        ///< false for a task graph: nobody ran it, so no times were recorded

  /// Adds a task that was recorded from `begin` to `end`. Its duration is that span. Where part of the
  /// span is waiting, which the replay must find again, call builder.set_duration() afterwards.
  /// `step_index` is an index into steps, or -1.
  TaskId add_task(TaskKind kind, NameId name, LaneId lane, Time begin, Time end, std::int32_t step_index,
                  Bytes bytes = {});
  void add_edge(TaskId from, TaskId to, EdgeKind kind, Duration lag = {}) { builder.add_edge(from, to, kind, lag); }
};

/// The task of each rank that was recorded to start first; of several, or where nothing was measured, the one with the
/// smallest id.
[[nodiscard]] std::map<Rank, TaskId> first_tasks(const Assembly& assembly);

/// Leaves only the steps numbered `first` to `last` to be asked about. The tasks of later steps are left out. Those of
/// earlier ones stay, because what the asked ones wait for began there: a device that is behind its host works on them.
/// Throws UsageError, which names the steps that there are, if none of them is asked about. O(tasks + edges).
void keep_steps(Assembly& assembly, std::int64_t first, std::int64_t last);

/// Builds the Dag, and carries the recording over to the Dag's ids. Delays that no edge explains
/// become lags first, so that the replay stays faithful, and each is listed as an unexplained wait:
///
/// * A task that was recorded to start later than its edges allow gets the rest as lag on the binding
///   edge, which is the one whose predecessor's end plus lag came last.
/// * A task without predecessors gets an edge with such a lag from its rank's first task.
/// * A task that was held up gets that time as lag too, and is as much shorter.
/// * A task that was recorded to start more than 5 us before a predecessor's end contradicts the edge.
///   The edge stays and is counted.
///
/// Lags with a known cause (launch latency, a stream's turn-around) were put on their edges by the
/// stitchers, and are not among these. A task graph (measured is false) gets no lags.
/// Throws CycleError if the edges form a cycle, and InputError if there is no task.
[[nodiscard]] Capture finish(Assembly&& assembly);

}  // namespace stepsim::ingest

#endif
