#ifndef STEPSIM_INGEST_STITCH_PARAMETER_SERVER_TASKS_H
#define STEPSIM_INGEST_STITCH_PARAMETER_SERVER_TASKS_H

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "ingest/stitch/assembly.h"
#include "ingest/stitch/parameter_server/recorded_gpu.h"
#include "model/job/job.h"
#include "model/job/parameter_server/workload.h"

/// The passes that make tasks of a parameter-server job, in the order in which stitch_parameter_server() runs them.
/// Those for dPRO trials (trial/) take some of them and add their own.
namespace stepsim::ingest {

/// A parameter-server job while its GPUs' recordings become tasks and edges. Each pass adds to `out` and enters here
/// what later passes need. Times in `gpus` are on each worker's own clock, times in `out` on the reference clock.
struct PsTasks {
  const Job& job;
  Assembly& out;
  std::vector<RecordedGpu> gpus;                                            ///< by worker, then local rank
  std::vector<HostClock> clocks;                                            ///< by worker
  std::map<std::pair<std::size_t, std::int64_t>, std::int32_t> step_index;  ///< (gpu, step number) -> out.steps

  /// Tasks of GPUs that work together: none of a group ends before all of it have begun.
  std::vector<std::vector<TaskId>> meetings;
  std::vector<LaneId> serial_lanes;                          ///< threads and engines that do one task at a time
  std::vector<std::vector<TaskId>> operator_task;            ///< by gpu, operator
  std::vector<std::vector<std::vector<TaskId>>> stage_task;  ///< by gpu, chain, stage
  std::map<std::tuple<std::size_t, std::int64_t, std::int64_t>, std::size_t> chain_of;  ///< (gpu, key, step number)

  /// A recorded time of `gpu` on the reference clock.
  [[nodiscard]] Time aligned(std::size_t gpu, Time recorded) const {
    return recorded - clocks[gpus[gpu].worker].offset;
  }
  /// Index into out.steps; -1 if the GPU has no such step.
  [[nodiscard]] std::int32_t step_of(std::size_t gpu, std::int64_t number) const;
  /// The task of one stage of a chain; nothing if the stage was not recorded.
  [[nodiscard]] std::optional<TaskId> stage(std::size_t gpu, std::size_t chain, Stage stage) const;
  /// Adds a task that was recorded from `begin` to `end` on the reference clock, and notes these times as details.
  TaskId add_task(TaskKind kind, const std::string& name, LaneId lane, Time begin, Time end, std::int32_t step,
                  Bytes bytes = {});
  /// Adds an edge. Where `to` was recorded to end more than 50 us before `from`, the names mislead:
  /// the edge is left out and counted.
  void link(TaskId from, TaskId to, EdgeKind kind);
};

/// `given`, with what it leaves open taken from the recording: the number of GPUs per worker, and
/// the smallest number of servers, up to 64, for which each connection acknowledges pushes in the
/// order in which it got them. States the servers in `assumptions`; without an answer
/// Job::servers stays empty. O(servers * pushes log servers).
[[nodiscard]] Job with_inferred_settings(const Job& given, const std::vector<RecordedGpu>& gpus,
                                         Assumptions& assumptions);

/// Returns the clock of each worker, by worker, against worker 0's.
///
/// A server answers a key when every worker's push of it has arrived. So a worker's PULL of a key
/// ends after the other worker's push of that key and step had arrived. That bounds how far one
/// clock may be ahead of the other; the same pair the other way round gives the other bound. When
/// had a push arrived? By its acknowledgement, unless that came within 1 ms after the end of a pull
/// from the same server, behind which it may have queued: then only the push's start is certain.
///
/// From these bounds clocks.h makes offsets. A worker that shares no key with worker 0 keeps offset 0 and is counted.
/// O(events log events).
[[nodiscard]] std::vector<HostClock> align_worker_clocks(const std::vector<RecordedGpu>& gpus, const Job& job,
                                                         Diagnostics& diagnostics);

/// What a stage of BytePS's pipeline becomes.
struct StageRole {
  /// When one thread or engine handles one partition after another. Not so: NCCL groups several partitions, whose
  /// records overlap, unless the GPU is alone; compression has a pool of threads; and join_transfers() orders what goes
  /// over links.
  enum class Serial : std::uint8_t { kNever, kIfAlone, kAlways };
  TaskKind kind = TaskKind::kControl;
  Serial serial = Serial::kAlways;
  std::optional<PsStage> built{};  ///< the stage of a job that is built anew; nothing: it is not modelled
};
[[nodiscard]] const StageRole& role_of(Stage stage) noexcept;

/// Adds the steps of all GPUs, their operators' tasks, and the edges between these: program order
/// within a row, and data from the last run of each input before. A step with less than 90 % of the
/// operators or chains of the fullest one was cut by the capture: it is kept, marked as not whole,
/// and counted. Fills tasks.step_index and tasks.operator_task.
void add_operators(PsTasks& tasks);

/// What the job's graph can be built from anew, for other settings: what the GPUs did, without what
/// the network made of it. Steps that some GPU did not record whole are left out. Where something
/// is missing, PsWorkload::cannot_build says what. add_operators() has run.
[[nodiscard]] PsWorkload workload_of(const PsTasks& tasks);

/// Adds a task for each stage of each chain and, within a GPU, the edges from one stage to the next,
/// from the operator that releases a tensor to its first stage, and from its last stage to the
/// operators that wait for it. PULL is joined to PUSH later, by join_transfers().
/// Update operators wait in the same step, others in the next. Fills tasks.stage_task, tasks.chain_of and
/// tasks.serial_lanes. add_operators() has run.
void add_stages(PsTasks& tasks);

/// Joins the GPUs of each worker. They work on a partition together: the root (the largest local
/// rank) waits for the others' signals, pushes and pulls, and the others wait for its result.
/// Adds REDUCE and BROADCAST of one partition to tasks.meetings. add_stages() has run.
void join_local_gpus(PsTasks& tasks);

/// Joins PUSH and PULL over the connections between workers and servers.
///
/// PUSH was recorded until the server's acknowledgement, and waits behind the pushes that were
/// handed to its connection before. PULL was recorded from that acknowledgement until the data was
/// there. It waits for every worker's push of the key (through a task SUM), for its own request,
/// which queues behind pushes on the way up, and for the answers that the server sent first, in
/// the order of their recorded ends. What is left becomes its duration.
///
/// add_stages() has run. O(chains log chains).
void join_transfers(PsTasks& tasks);

/// Some tasks were recorded from the moment they were queued, and so hold their time in the queue. These functions tell
/// the two apart.
///
/// Adds an edge from each task to the next, given in the order in which they were served, and
/// makes each begin when the one before it ended: what was recorded before that was its wait.
void take_turns(Assembly& assembly, const std::vector<TaskId>& in_order);

/// Adds an edge, as tasks.link() does. What `to` was recorded to do before the end of `from` was waiting: it begins
/// then.
void follow(PsTasks& tasks, TaskId from, TaskId to, EdgeKind kind);

/// True if no two of the spans, of start and end, overlap by more than the grain of a clock.
[[nodiscard]] bool one_at_a_time(std::vector<std::pair<Time, Time>> spans);

/// Where the tasks of a lane ran one at a time, they took turns: each waits for the one before it, in recorded order.
void let_take_turns(Assembly& assembly, std::vector<TaskId> tasks);

/// Orders the tasks of each of tasks.serial_lanes by their recorded start, as take_turns does.
void order_lanes(PsTasks& tasks);

/// Makes tasks.meetings rendezvous, and leaves out what would make a task wait for itself.
///
/// A recording that contradicts itself (damaged files, clocks that jumped) can name dependencies
/// that form a cycle. Of the edges in one or after it, only those that run against recorded time are left out,
/// and counted; meetings in it do not become rendezvous. A rank's first task depends on nothing:
/// the replay starts it when it was recorded. O(tasks + edges log edges).
void join_and_break_cycles(PsTasks& tasks);

/// A stage's thread finds its next partition by polling its queue. Puts up to 0.3 ms of each
/// stage's wait as lag on the edge that let it start last, so that this much has a known cause.
void explain_polling(PsTasks& tasks);

}  // namespace stepsim::ingest

#endif
