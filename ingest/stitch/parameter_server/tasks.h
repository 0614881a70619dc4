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

/// The passes that turn a parameter-server job into tasks, in the order in which stitch_parameter_server() runs them.
/// The passes for dPRO trials (trial/) use some of them and add others.
namespace stepsim::ingest {

/// A parameter-server job while its recordings are turned into tasks and edges. Each pass adds to `out` and stores here
/// what later passes need. Times in `gpus` are on each worker's own clock, times in `out` on the reference clock.
struct PsTasks {
  const Job& job;
  Assembly& out;
  std::vector<RecordedGpu> gpus;                                            ///< by worker, then local rank
  std::vector<HostClock> clocks;                                            ///< by worker
  std::map<std::pair<std::size_t, std::int64_t>, std::int32_t> step_index;  ///< (gpu, step number) -> out.steps

  /// Groups of tasks that run on several GPUs together: no task of a group ends before all of them have begun.
  std::vector<std::vector<TaskId>> meetings;
  std::vector<LaneId> serial_lanes;                          ///< threads and engines that do one task at a time
  std::vector<std::vector<TaskId>> operator_task;            ///< by gpu, operator
  std::vector<std::vector<std::vector<TaskId>>> stage_task;  ///< by gpu, chain, stage
  std::map<std::tuple<std::size_t, std::int64_t, std::int64_t>, std::size_t>
      chain_of;  ///< (gpu, key, step number) -> chain

  /// Converts a recorded time of `gpu` to the reference clock.
  [[nodiscard]] Time aligned(std::size_t gpu, Time recorded) const {
    return recorded - clocks[gpus[gpu].worker].offset;
  }
  /// Returns an index into out.steps, or -1 if the GPU has no such step.
  [[nodiscard]] std::int32_t step_of(std::size_t gpu, std::int64_t number) const;
  /// Returns the task of one stage of a chain; nothing if the stage was not recorded.
  [[nodiscard]] std::optional<TaskId> stage(std::size_t gpu, std::size_t chain, Stage stage) const;
  /// Adds a task that was recorded from `begin` to `end` on the reference clock, and adds these times to out.details,
  /// if wanted.
  TaskId add_task(TaskKind kind, const std::string& name, LaneId lane, Time begin, Time end, std::int32_t step,
                  Bytes bytes = {});
  /// Adds an edge. If `to` was recorded to end more than 50 us before `from`, the names that gave the edge are wrong:
  /// the edge is left out and counted.
  void link(TaskId from, TaskId to, EdgeKind kind);
};

/// Returns `given`, with missing values inferred from the recording: the number of GPUs per worker, and the number of
/// servers. The latter is the smallest number, up to 64, with which each connection acknowledges pushes in the order in
/// which it got them. `assumptions` gets an entry for the servers. If no number fits, Job::servers stays empty.
/// O(servers * pushes log servers).
[[nodiscard]] Job with_inferred_settings(const Job& given, const std::vector<RecordedGpu>& gpus,
                                         Assumptions& assumptions);

/// Returns each worker's clock, relative to worker 0's.
///
/// A server answers a key when every worker's push of it has arrived. So a worker's PULL of a key ends after the other
/// worker's push of that key in that step has arrived. That bounds how far one clock may be ahead of the other; the
/// same pair with the roles exchanged gives the other bound.
///
/// A push is assumed to arrive when it is acknowledged. But an acknowledgement within 1 ms after the end of a pull from
/// the same server may have queued after that pull; then the start of the push is used, as its earliest possible
/// arrival.
///
/// align_clocks() computes offsets from these bounds. A worker that shares no key with worker 0 gets offset 0 and is
/// counted. O(events log events).
[[nodiscard]] std::vector<HostClock> align_worker_clocks(const std::vector<RecordedGpu>& gpus, const Job& job,
                                                         Diagnostics& diagnostics);

/// The model of a stage of BytePS's pipeline.
struct StageRole {
  /// States whether the stage handles one partition after another. kAlways: one thread or engine does the stage.
  /// kIfAlone: only if the worker has a single GPU, because otherwise NCCL groups several partitions and their records
  /// overlap. kNever: several partitions may be handled at once, as by the thread pool for compression. For transfers
  /// over links, join_transfers() sets the order.
  enum class Serial : std::uint8_t { kNever, kIfAlone, kAlways };
  TaskKind kind = TaskKind::kControl;
  Serial serial = Serial::kAlways;
  std::optional<PsStage> built{};  ///< the stage in a rebuilt job; empty if it is not modelled there
};
[[nodiscard]] const StageRole& role_of(Stage stage) noexcept;

/// Adds the steps of all GPUs, their operators' tasks, and two kinds of edges between these: from each operator to the
/// next one of its row, and to each operator from the last earlier run of each of its inputs. A step with less than
/// 90 % of the operators or chains of the largest step was cut off by the capture: it is kept, marked as not whole, and
/// counted. Fills tasks.step_index and tasks.operator_task.
void add_operators(PsTasks& tasks);

/// Returns the data from which the job's graph can be rebuilt for other settings: the work of the GPUs, without the
/// effects of the network. Steps that some GPU did not record whole are left out. If data is missing,
/// PsWorkload::cannot_build has the reason. Call it after add_operators().
[[nodiscard]] PsWorkload workload_of(const PsTasks& tasks);

/// Adds a task for each stage of each chain. Within a GPU, adds edges from each stage to the next, from the operator
/// that releases a tensor to the tensor's first stage, and from its last stage to the operators that wait for it:
/// update operators of the same step and other operators of the next step. PULL is joined to PUSH later, by
/// join_transfers(). Fills tasks.stage_task, tasks.chain_of and tasks.serial_lanes. Call it after add_operators().
void add_stages(PsTasks& tasks);

/// Joins the GPUs of each worker, which work on a partition together. The root (the largest local rank) waits for the
/// signals of the other GPUs and then pushes and pulls the partition; the other GPUs wait for its result. Adds REDUCE
/// and BROADCAST of each partition to tasks.meetings. Call it after add_stages().
void join_local_gpus(PsTasks& tasks);

/// Joins PUSH and PULL over the connections between workers and servers.
///
/// PUSH was recorded until the server's acknowledgement, and queues after earlier pushes on its connection. PULL was
/// recorded from that acknowledgement until the data had arrived. A PULL waits for three things: for every worker's
/// push of the key (through a task SUM), for its own request, which queues after pushes to the server, and for the
/// answers that the server sent before, in the order of their recorded ends. The remaining time becomes its duration.
///
/// Call it after add_stages(). O(chains log chains).
void join_transfers(PsTasks& tasks);

/// Some tasks were recorded from the moment they were queued, so their spans include queueing time. take_turns(),
/// follow(), let_take_turns() and order_lanes() separate the queueing time from the work.
///
/// take_turns() adds an edge from each task to the next, in the given order of service. If a task was recorded to begin
/// before the end of the previous task, its begin is moved to that end, because it was waiting until then.
void take_turns(Assembly& assembly, const std::vector<TaskId>& in_order);

/// Adds an edge as tasks.link() does. If `to` was recorded to begin before `from` ended, its begin is moved to that
/// end, because it was waiting until then.
void follow(PsTasks& tasks, TaskId from, TaskId to, EdgeKind kind);

/// Returns true if no two of the spans (start, end) overlap by more than kClockGrain.
[[nodiscard]] bool one_at_a_time(std::vector<std::pair<Time, Time>> spans);

/// If the tasks of a lane ran one at a time, makes each wait for the one before it, in recorded order.
void let_take_turns(Assembly& assembly, std::vector<TaskId> tasks);

/// Orders the tasks of each of tasks.serial_lanes by their recorded start, with take_turns().
void order_lanes(PsTasks& tasks);

/// Turns tasks.meetings into rendezvous, and removes dependencies that would make a task wait for itself.
///
/// A recording that contradicts itself (damaged files, clocks that jumped) can give dependencies that form a cycle. The
/// case is counted. Of the edges that are in a cycle or depend on one, those that run against recorded time are
/// removed. Meetings in or after a cycle do not become rendezvous. All edges to a rank's first task are removed,
/// because the replay starts it at its recorded time. O(tasks + edges log edges).
void join_and_break_cycles(PsTasks& tasks);

/// Each stage's thread polls its queue for the next partition. If a task began later than its last dependency allows,
/// adds up to 0.3 ms of the difference as lag to the edge from that dependency, so that this part has a known cause.
void explain_polling(PsTasks& tasks);

/// Connects the communication of one GPU's tensors to its operators: a tensor's producers come before it, its consumers
/// after it.
class TensorLinks {
 public:
  /// Precondition: add_operators() has run. `tasks` must outlive this.
  TensorLinks(PsTasks& tasks, std::size_t gpu);

  /// Makes `first`, the first task of the chain with this index, wait for an operator of the chain's step: the last
  /// producer of the chain's tensor or, if no producer is known, the operator that ended last before the chain.
  void release(std::size_t index, TaskId first);
  /// Makes the tensor's consumers wait for all of `last`, the last tasks of its communication in `step`: UPDATE
  /// operators of the same step, and other operators of the next step.
  void let_consumers_wait(std::uint32_t tensor, std::int64_t step, std::vector<TaskId> last);

 private:
  /// The runs of an operator in one step: the one that began first and the one that ended last.
  struct Runs {
    std::size_t first = 0;
    std::size_t last = 0;
  };

  void note_run(std::size_t i);
  [[nodiscard]] std::optional<std::size_t> producer_of(const StageChain& chain) const;
  [[nodiscard]] std::optional<std::size_t> last_ended_before(const StageChain& chain);
  [[nodiscard]] TaskId gathered(const RecordedTensor& tensor, std::int64_t step, const std::vector<TaskId>& last);
  [[nodiscard]] std::int64_t next_step(std::int64_t number) const;

  PsTasks& tasks_;
  Assembly& out_;
  const RecordedGpu& recorded_;
  std::size_t gpu_;
  std::map<std::pair<TextId, std::int64_t>, Runs> runs_;                                   // operator name, step
  std::map<std::pair<std::uint32_t, std::int64_t>, std::optional<std::size_t>> producer_;  // tensor, step
  std::vector<std::pair<Time, std::size_t>> by_finish_;  // (finish, operator); built on first use
  LaneId gather_lane_;
};

}  // namespace stepsim::ingest

#endif
