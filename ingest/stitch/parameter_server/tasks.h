#ifndef STEPSIM_INGEST_STITCH_PARAMETER_SERVER_TASKS_H
#define STEPSIM_INGEST_STITCH_PARAMETER_SERVER_TASKS_H

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "ingest/stitch/assembly.h"
#include "ingest/stitch/parameter_server/recorded_gpu.h"
#include "model/job/job.h"
#include "model/job/parameter_server/workload.h"

/// The passes by which the plans of a parameter-server job's GPUs become tasks and edges, in
/// the order of parameter_server.cpp. Times in the plans are on each host's own clock, in the
/// assembly on the reference's.
namespace stepsim::ingest {

struct PsTasks {
  const Job& job;
  Assembly& out;
  std::vector<GpuPlan> gpus;                                                ///< by worker, then local rank
  std::vector<HostClock> clocks;                                            ///< by worker
  std::map<std::pair<std::size_t, std::int64_t>, std::int32_t> step_index;  ///< (gpu, step number) -> out.steps

  std::vector<std::vector<TaskId>> meetings;  ///< tasks of GPUs that work together: none ends before all have begun
  std::vector<LaneId> serial_lanes;           ///< a thread or an engine that takes one task after another
  std::vector<std::vector<TaskId>> operator_task;                                       ///< by gpu, operator
  std::vector<std::vector<std::vector<TaskId>>> stage_task;                             ///< by gpu, chain, stage
  std::map<std::tuple<std::size_t, std::int64_t, std::int64_t>, std::size_t> chain_of;  ///< (gpu, key, step number)

  [[nodiscard]] Time aligned(std::size_t gpu, Time recorded) const {
    return recorded - clocks[gpus[gpu].worker].offset;
  }
  [[nodiscard]] std::int32_t step_of(std::size_t gpu, std::int64_t number) const;
  /// The task of one stage of a chain; nothing if the stage was not recorded.
  [[nodiscard]] std::optional<TaskId> stage(std::size_t gpu, std::size_t chain, Stage stage) const;
  /// Adds an edge, unless the recording shows `to` ending well before `from`: then it is counted.
  void link(TaskId from, TaskId to, EdgeKind kind);
};

/// Operators with their program order and data dependencies, and the steps they make.
void add_operators(PsTasks& tasks);
/// Stage chains, what releases them and what waits for them, and the other GPUs of the worker.
void add_stages(PsTasks& tasks);
/// PUSH and PULL over the connections of workers and servers.
void add_links(PsTasks& tasks);
/// Chains tasks that took turns, given in the order in which they did, and makes each begin
/// when its turn came: what was recorded before that was its wait in the queue.
void take_turns(Assembly& assembly, const std::vector<TaskId>& in_order);
/// The lanes on which one task ran after another, in recorded order.
void order_lanes(PsTasks& tasks);
/// Makes meetings rendezvous, and leaves out what would keep tasks waiting for themselves.
void join_and_break_cycles(PsTasks& tasks);
/// A stage's thread finds its next partition by polling: that much of a wait has a cause.
void explain_polling(PsTasks& tasks);

/// `given` with what the recording can say in its stead: GPUs a worker, and the smallest number
/// of servers under which each connection acknowledges pushes in the order in which it got them.
[[nodiscard]] Job with_inferred(const Job& given, const std::vector<GpuPlan>& gpus,
                                std::vector<std::string>& assumptions);

/// What the job's graph can be built from anew, or why it cannot. Steps that a GPU did not
/// record whole are left out.
[[nodiscard]] PsWorkload workload_of(const PsTasks& tasks);

/// Bytes of a partition, from its tensor's bytes and the job's bound; nothing if they are unknown.
[[nodiscard]] std::optional<Bytes> partition_bytes(const TensorPlan& tensor, std::int64_t key, const Job& job);

}  // namespace stepsim::ingest

#endif
