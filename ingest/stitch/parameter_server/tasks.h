#ifndef STEPSIM_INGEST_STITCH_PARAMETER_SERVER_TASKS_H
#define STEPSIM_INGEST_STITCH_PARAMETER_SERVER_TASKS_H

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "ingest/stitch/assembly.h"
#include "ingest/stitch/parameter_server/recorded_gpu.h"
#include "model/job/job.h"

namespace stepsim::ingest {

/// A parameter-server job while its GPUs' recordings become tasks and edges. Each pass (operators.h,
/// stages.h, local_gpus.h, transfers.h, queues.h, cycles.h; in the order of parameter_server.cpp)
/// adds to `out` and enters here what later passes need. Times in `gpus` are on each worker's own
/// clock, times in `out` on the reference clock.
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
  /// Adds an edge. Where `to` was recorded to end more than 50 us before `from`, the names mislead:
  /// the edge is left out and counted.
  void link(TaskId from, TaskId to, EdgeKind kind);
};

}  // namespace stepsim::ingest

#endif
