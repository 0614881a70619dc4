#ifndef STEPSIM_MODEL_REWRITE_PARAMETER_SERVER_JOB_GRAPH_H
#define STEPSIM_MODEL_REWRITE_PARAMETER_SERVER_JOB_GRAPH_H

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "model/calibration/stage_costs.h"
#include "model/job/dag_builder.h"
#include "model/rewrite/parameter_server/build.h"
#include "model/rewrite/parameter_server/connection.h"
#include "model/rewrite/parameter_server/job_shape.h"

/// The graph of a parameter-server job while build.cpp builds it.
namespace stepsim {

/// One GPU of the job, and what it made in this step and the one before.
struct PsGpuGraph {
  const PsGpu* source = nullptr;
  std::uint32_t source_index = 0;
  bool recorded = false;  ///< not a copy of a captured one
  Rank rank = 0;
  std::uint32_t local_rank = 0;
  std::string host;
  double scale = 1;
  const PsStageCosts* costs = nullptr;

  std::map<std::uint32_t, LaneId> rows;  ///< by PsOperator::row
  LaneId collectives;                    ///< REDUCE and BROADCAST
  LaneId copy_to_host;
  LaneId copy_to_device;
  LaneId hand_overs;

  std::map<std::uint32_t, TaskId> last_of_row;
  std::vector<TaskId> operators;
  std::vector<TaskId> operators_before;
  std::vector<TaskId> done;  ///< by tensor: all of it is back on the GPU
  std::vector<TaskId> done_before;
};

/// What the tasks of a partition are, in the order in which they run.
enum class PsPart : std::uint8_t {
  kCoordinateReduce,
  kReduce,
  kCopyToHost,
  kCoordinatePush,
  kPush,
  kAcknowledgement,
  kSum,
  kAllReceived,
  kRequest,
  kPull,
  kCopyToDevice,
  kCoordinateBroadcast,
  kBroadcast,
};
inline constexpr std::size_t kPsParts = 13;

struct PsJobGraph {
  const PsWorkload& workload;
  const PsOptions& options;
  const Cluster& cluster;
  PsShape shape;
  PsStageCosts on_root;
  PsStageCosts on_others;

  DagBuilder builder;
  struct Noted {
    PsRun run;
    std::int32_t step = -1;  ///< as step_of()
  };
  std::vector<Noted> noted;                                 ///< by task, as far as anything was noted
  std::vector<std::pair<TaskId, std::int32_t>> step_first;  ///< the task that begins each noted step
  std::vector<PsGpuGraph> gpus;                             ///< by worker, then local rank
  std::vector<Connection> up;                               ///< by worker, then server
  std::vector<Connection> down;                             ///< the same, from the server
  std::vector<LaneId> threads;                              ///< by server, then thread
  /// By PsPartition::place: of the first GPU's tasks, as far as they were needed.
  std::vector<std::array<NameId, kPsParts>> names;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::int64_t, PsStage>, PsRun> stage_runs;  ///< gpu, step, key

  std::uint32_t step = 0;    ///< of workload.steps, that is being built
  bool is_recorded = false;  ///< false while it is built to warm up
  Time step_begin{};         ///< hints count from here

  [[nodiscard]] PsGpuGraph& gpu(std::uint32_t worker, std::uint32_t local_rank) {
    return gpus[std::size_t{worker} * shape.local_size + local_rank];
  }
  [[nodiscard]] PsGpuGraph& root(std::uint32_t worker) { return gpu(worker, shape.local_size - 1); }
  [[nodiscard]] bool cross() const { return options.job.barrier.value_or(Barrier::kGlobal) == Barrier::kCross; }
  /// When a time of this step would be in the replay, about.
  [[nodiscard]] Time hint(const PsGpuGraph& gpu, Time recorded_time) const;

  /// The place of this step of `gpu` in Recording::steps; -1 if it was not recorded.
  [[nodiscard]] std::int32_t step_of(const PsGpuGraph& gpu) const;
  /// A task of `gpu` in this step was recorded to run so, if the GPU and the step were.
  void note(TaskId task, const PsGpuGraph& gpu, const std::optional<PsRun>& run);
  /// The step of `gpu` begins with `task`.
  void note_first(TaskId task, const PsGpuGraph& gpu);
  /// Nothing if either is invalid.
  void link(TaskId from, TaskId to, EdgeKind kind, Duration lag = {});
};

}  // namespace stepsim

#endif
