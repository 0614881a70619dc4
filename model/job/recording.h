#ifndef STEPSIM_MODEL_JOB_RECORDING_H
#define STEPSIM_MODEL_JOB_RECORDING_H

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/assumption.h"
#include "model/base/diagnostics.h"
#include "model/base/error.h"
#include "model/base/id.h"
#include "model/base/units.h"
#include "model/job/allocations.h"
#include "model/job/capture_contents.h"
#include "model/job/cluster.h"
#include "model/job/dag.h"
#include "model/job/job.h"
#include "model/job/operator_work.h"
#include "model/job/parallel_place.h"
#include "model/job/task_tables.h"

namespace stepsim {

/// One rank's part of one step. It begins at the start of `first`. It ends at the start of the rank's next step if
/// `next_follows`, otherwise at the latest end of its tasks.
struct RecordedStep {
  Rank rank = 0;
  std::int64_t number = 0;    ///< number in the trace: 12 for ProfilerStep#12
  TaskId first;               ///< the step begins at the start of this task
  bool next_follows = false;  ///< true if the rank's next step follows immediately and is in this list
  bool whole = true;          ///< false if the capture cut the step off, so it is not used
  bool marked = true;         ///< false if the trace marks no steps and counts as a single one
  bool asked = true;          ///< false if the step is not among --steps, but precedes them and is replayed with them
};

/// The clock of one host relative to the job's reference host.
struct HostClock {
  std::string host;
  Duration offset{};    ///< how far its clock is ahead of the reference
  Duration residual{};  ///< uncertainty of the offset
  double slope = 0;     ///< additional seconds ahead per second since the capture's start
  Duration spread{};  ///< largest remaining disagreement between ends of collectives and messages; 0 if there are none
};

/// The measurements that belong to a Dag. Times are on the reference host's clock. Empty for a task graph, which was
/// never run.
struct Recording {
  std::vector<Time> start;         ///< recorded start, indexed by TaskId
  std::vector<Time> finish;        ///< recorded end, indexed by TaskId
  std::vector<std::int32_t> step;  ///< index into `steps`, -1 if the task belongs to none; indexed by TaskId
  /// Number of events that the profiler recorded for the task's work on the host, indexed by TaskId; empty if not
  /// known.
  std::vector<std::uint32_t> events;
  /// In an edited capture: the task of the original capture that each task corresponds to. A copied task has the origin
  /// of the task that it was copied from, and a new task has none (invalid). Indexed by TaskId; empty if not needed.
  std::vector<TaskId> origin;
  std::vector<RecordedStep> steps;  ///< ordered by rank, then number
  std::vector<Rank> ranks;          ///< captured ranks, ascending
  std::vector<HostClock> clocks;    ///< one clock for each host, the reference first
  /// A wait (lag of an edge) with no known cause, and the length of its unexplained part.
  struct UnexplainedWait {
    TaskId task;  ///< the task that starts late
    Duration wait{};
    std::string_view kind;  ///< kind of wait, a string literal: "device", "host thread", "message"
  };
  std::vector<UnexplainedWait> unexplained;  ///< ordered by task
  /// Long host tasks during which no event shows what the thread did; it may have been waiting. Ordered by id.
  std::vector<TaskId> silences;
  /// A host task of which a part is a pause: an operator in it took many times its usual time, although it launched
  /// nothing and waited for nothing, so its thread did not run.
  struct Pause {
    TaskId task;
    Duration excess{};  ///< time beyond the usual one of such operators; part of the task's duration
  };
  std::vector<Pause> pauses;  ///< ordered by task
  /// A dependency inferred from the recorded times alone: `after` began right after `before` had ended.
  struct InferredEdge {
    TaskId after;
    TaskId before;
    friend auto operator<=>(const InferredEdge&, const InferredEdge&) noexcept = default;
  };
  std::vector<InferredEdge> inferred;  ///< sorted by members
};

/// A gradient that a rank has computed and passes to its communication library for reduction.
struct Gradient {
  TaskId ready;  ///< the gradient is available at the end of this task
  Bytes bytes{};
};

struct PsWorkload;  // model/job/parameter_server/workload.h

/// Id of the assumption that durations were modelled, not measured. Its sentence names the model.
inline constexpr std::string_view kModelledTimes = "modelled_times";

/// A job as returned by ingest: its graph and its measurements.
struct Capture {
  Dag dag;
  Recording recording;
  Diagnostics diagnostics;
  std::uint64_t events = 0;       ///< number of records in the input
  std::uint64_t skipped = 0;      ///< number of records that could not be used
  std::vector<InputFile> inputs;  ///< the files it was read from
  CaptureContents contents;       ///< what these files contain, without private_parts
  /// The recorded name of each host that has another name in `dag` and in answers, and that name: "host001". Empty if
  /// hosts are not renamed (ingest/privacy/hidden_names.h).
  std::map<std::string, std::string> renamed_hosts;
  Assumptions assumptions;
  Job job;                         ///< contents of job.yaml
  std::optional<Cluster> cluster;  ///< the hardware, if the input itself describes it (task graphs)
  /// The data from which the graph of a parameter-server job can be rebuilt; null for other jobs.
  std::shared_ptr<const PsWorkload> parameter_server;
  /// The gradients of a data-parallel job whose traces show them: by rank, in order of their computation. Empty for
  /// other jobs.
  std::vector<Gradient> gradients;
  OperatorTable operators;                             ///< framework operators of device work, if recorded
  LaunchTable launches;                                ///< launch parameters of kernels, if recorded
  AnnotationTable annotations;                         ///< annotations around device work
  std::shared_ptr<const AllocationTable> allocations;  ///< null if allocations were not recorded
  std::map<Rank, std::string> devices;                 ///< name of each rank's accelerator, if its trace has it
  std::map<Rank, Bytes> device_memory;                 ///< memory of each rank's accelerator, if its trace has it
  std::map<Rank, ParallelPlace> places;                ///< coordinates of all ranks; empty if they are unknown
  /// Number of ranks that share a batch (tensor, context and pipeline parallel), if the traces state the purpose of
  /// process groups.
  std::optional<std::int64_t> ranks_of_batch;
  /// Id of each task in the task graph's file, indexed by TaskId; empty for traces.
  std::vector<std::int64_t> task_ids;
};

/// True if durations of device work in a capture were modelled, as those of `stepsim model` and of execution traces
/// are.
[[nodiscard]] inline bool has_modelled_times(const Capture& capture) {
  return find_assumption(capture.assumptions, kModelledTimes) != nullptr;
}

}  // namespace stepsim

#endif
