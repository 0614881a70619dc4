#ifndef STEPSIM_MODEL_JOB_RECORDING_H
#define STEPSIM_MODEL_JOB_RECORDING_H

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/base/assumption.h"
#include "model/base/diagnostics.h"
#include "model/base/error.h"
#include "model/base/id.h"
#include "model/base/units.h"
#include "model/job/cluster.h"
#include "model/job/dag.h"
#include "model/job/job.h"
#include "model/job/operator_work.h"
#include "model/job/task_tables.h"

namespace stepsim {

/// One rank's part of one step. It begins at the start of `first`. It ends at the start of the rank's
/// next step if `next_follows`, else at the latest end of its tasks.
struct RecordedStep {
  Rank rank = 0;
  std::int64_t number = 0;    ///< as the trace names it: ProfilerStep#12 is 12
  TaskId first;               ///< the task whose start begins the step
  bool next_follows = false;  ///< the rank's next whole step follows at once and is in this list
  bool whole = true;          ///< false: set aside because the capture cut it
  bool marked = true;         ///< false: the trace marks no steps, and all of it counts as one
  bool asked = true;          ///< false: not among --steps, but what comes before them and is replayed with them
};

/// The clock of one host against the reference host of the job.
struct HostClock {
  std::string host;
  Duration offset{};    ///< its clock is ahead of the reference by this much
  Duration residual{};  ///< by how much the offset may be off
  double slope = 0;     ///< additional seconds ahead per second since the capture's start
  Duration spread{};    ///< the largest disagreement left between ends of collectives and messages; 0 if there are none
};

/// What was measured, beside the Dag made from it. Times are on the reference host's clock.
/// Empty for a task graph, which nobody ran.
struct Recording {
  std::vector<Time> start;         ///< recorded start, by TaskId
  std::vector<Time> finish;        ///< recorded end, by TaskId
  std::vector<std::int32_t> step;  ///< index into `steps` a task belongs to, -1 if none; by TaskId
  /// How many events the profiler recorded of what the task does on the host, by TaskId; empty where that is not known.
  std::vector<std::uint32_t> events;
  /// The task of the capture as loaded that a task is, or is a copy of; invalid for a new one; by TaskId. Empty where
  /// nobody asks.
  std::vector<TaskId> origin;
  std::vector<RecordedStep> steps;  ///< by rank, then number
  std::vector<Rank> ranks;          ///< ascending
  std::vector<HostClock> clocks;    ///< one a host, the reference first
  /// Edges whose lag no known cause explains, with the part of the lag that is unexplained.
  struct UnexplainedWait {
    TaskId task;  ///< the task that starts late
    Duration wait{};
    std::string_view kind;  ///< what kind of wait it is; a literal: "device", "host thread", "message"
  };
  std::vector<UnexplainedWait> unexplained;  ///< by task
  /// Long host tasks of which no event tells what is done in them: they may be waiting. By id.
  std::vector<TaskId> silences;
  /// A dependency that nothing but the recorded times shows: `after` began right after `before` had ended.
  struct InferredEdge {
    TaskId after;
    TaskId before;
    friend auto operator<=>(const InferredEdge&, const InferredEdge&) noexcept = default;
  };
  std::vector<InferredEdge> inferred;  ///< in their order
};

/// A gradient that a rank has computed and hands to its library for reduction.
struct Gradient {
  TaskId ready;  ///< the task at whose end it is there
  Bytes bytes{};
};

struct PsWorkload;  // model/job/parameter_server/workload.h

/// A job as ingest delivers it: the model of what ran and the measurements of it.
struct Capture {
  Dag dag;
  Recording recording;
  Diagnostics diagnostics;
  std::uint64_t events = 0;       ///< records seen in the input
  std::uint64_t skipped = 0;      ///< records that could not be used
  std::vector<InputFile> inputs;  ///< the files it was made from
  Assumptions assumptions;
  Job job;                         ///< what job.yaml says
  std::optional<Cluster> cluster;  ///< the hardware, where the input itself says it: task graphs
  /// Of a parameter-server job, what its graph can be built from anew; null for other jobs.
  std::shared_ptr<const PsWorkload> parameter_server;
  /// Of a data-parallel job whose traces show them: by rank, in the order in which they came.
  std::vector<Gradient> gradients;
  OperatorTable operators;              ///< which framework operators had device work done, where that was recorded
  LaunchTable launches;                 ///< how kernels were launched, where that was recorded
  AnnotationTable annotations;          ///< what was annotated around device work
  std::map<Rank, std::string> devices;  ///< what a rank's trace calls its accelerator, where it does
  /// How many ranks share a batch (tensor, context and pipeline parallel), where the traces say what groups are for.
  std::optional<std::int64_t> ranks_of_batch;
  std::vector<std::int64_t> task_ids;  ///< by TaskId: the id its task graph's file gave it; empty for traces
};

}  // namespace stepsim

#endif
