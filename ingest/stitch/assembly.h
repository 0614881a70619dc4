#ifndef STEPSIM_INGEST_STITCH_ASSEMBLY_H
#define STEPSIM_INGEST_STITCH_ASSEMBLY_H

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/base/assumption.h"
#include "model/base/diagnostics.h"
#include "model/job/dag_builder.h"
#include "model/job/parameter_server/workload.h"
#include "model/job/recording.h"

namespace stepsim::ingest {

/// A job while it is being stitched together: the tasks with what was recorded of them.
/// Ids are the builder's. Times are on the reference host's clock.
struct Assembly {
  DagBuilder builder;
  std::vector<Time> start;         ///< recorded start, by task
  std::vector<Time> finish;        ///< recorded end, by task
  std::vector<std::int32_t> step;  ///< index into steps, -1 if none, by task
  std::vector<RecordedStep> steps;
  std::vector<HostClock> clocks;
  Diagnostics diagnostics;
  Assumptions assumptions;
  std::optional<Cluster> cluster;   ///< the hardware, where the input itself says it
  std::vector<Gradient> gradients;  ///< by rank, in the order in which they came
  std::optional<PsWorkload> parameter_server;
  OperatorTable operators;
  std::map<Rank, std::string> devices;  ///< what a rank's trace calls its accelerator
  std::vector<std::int64_t> task_ids;   ///< by task: the id a task graph's file gave it; empty for traces
  /// False for a task graph, which nobody ran: its tasks have no recorded times to keep to.
  bool measured = true;

  /// Adds a task recorded from `begin` to `end`. Its duration is that span; where part of
  /// the span is waiting that the replay must find again, builder.set_duration() afterwards.
  TaskId add_task(TaskKind kind, NameId name, LaneId lane, Time begin, Time end, std::int32_t step_index,
                  Bytes bytes = {});
  void add_edge(TaskId from, TaskId to, EdgeKind kind, Duration lag = {}) { builder.add_edge(from, to, kind, lag); }
};

/// Keeps the tasks of the steps numbered `first` to `last` and what connects them. Throws
/// UsageError, naming the steps there are, if that is none.
void keep_steps(Assembly& assembly, std::int64_t first, std::int64_t last);

/// Turns what the edges do not explain into lags, so that the replay stays faithful, and
/// notes each as an unexplained wait; then builds the Dag and carries the recording over to
/// its ids.
///
/// A task that was recorded to start later than its last predecessor's end plus lag gets the
/// rest as lag on that edge (the binding one). A task without predecessors that is not the
/// first of its rank hangs on the rank's first task with such a lag. A task recorded to start
/// before a predecessor's end contradicts the edge: the edge stays and is counted.
///
/// Lags that have a known cause (launch latency, a stream's turn-around) are put on their
/// edges by the stitchers before this, and are not unexplained.
/// Throws CycleError, and InputError if there is no task.
[[nodiscard]] Capture finish(Assembly&& assembly);

}  // namespace stepsim::ingest

#endif
