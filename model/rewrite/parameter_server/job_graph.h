#ifndef STEPSIM_MODEL_REWRITE_PARAMETER_SERVER_JOB_GRAPH_H
#define STEPSIM_MODEL_REWRITE_PARAMETER_SERVER_JOB_GRAPH_H

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "model/base/error.h"
#include "model/calibration/parameter_server.h"
#include "model/job/dag_builder.h"
#include "model/job/job.h"
#include "model/job/parameter_server/workload.h"
#include "model/rewrite/parameter_server/build.h"

namespace stepsim {

/// What a sender has handed to its socket goes out before anything it decides later.
inline constexpr Bytes kSocketBuffer{std::int64_t{128} * 1024};

/// One direction of the connection of a worker and a server, as lanes of a dag: one message
/// after another, in the order in which they are handed over.
///
/// Where control messages go first, they overtake what is queued, but not what the socket
/// holds: a sender chooses its next message when all of the one before is in the socket, that
/// is when no more than kSocketBuffer of it is still to go. So each message is three tasks: it
/// is chosen (a lane by priority, one at a time), its head goes out, and its tail. The end of
/// the head lets the sender choose again.
class Connection {
 public:
  /// A message's tasks: `first` waits for what hands it over, `last` ends when it is there.
  struct Message {
    TaskId first;
    TaskId last;
  };
  struct Content {
    TaskKind kind = TaskKind::kTransfer;
    NameId name;
    Bytes bytes;
    bool urgent = false;  ///< a control message
    Time hint{};
  };

  /// `line` says the two ends, and where the lane is shown; its order and capacity are set here.
  Connection(DagBuilder& builder, Lane line, Control control);
  Message send(const Content& content);

 private:
  DagBuilder* builder_;
  LaneId line_;
  LaneId choice_;  // invalid where messages go in the order in which they are handed over
};

/// One partition of the job that is built.
struct PsPartition {
  std::uint32_t index = 0;  ///< within its tensor
  std::int64_t key = 0;
  Bytes bytes{};
  std::uint32_t server = 0;
  std::uint32_t thread = 0;  ///< of the server
  std::int32_t place = 0;    ///< in the order of keys: the priority
};

/// One tensor with its partitions.
struct PsCut {
  std::uint32_t tensor = 0;  ///< index into PsGpu::tensors
  std::vector<PsPartition> partitions;
};

/// What options make of a workload, before there is a graph.
struct PsShape {
  std::uint32_t workers = 0;
  std::uint32_t servers = 0;
  std::uint32_t local_size = 0;
  std::uint32_t server_threads = 1;
  std::vector<std::uint32_t> source;  ///< by worker of the job: the captured worker it is or copies
  std::vector<PsCut> tensors;         ///< in the order in which the first worker makes them
  std::uint32_t partitions = 0;       ///< of all tensors
};

/// Cuts the tensors, spreads the keys, and decides who is whose copy.
/// Throws InputError at `where`, one sentence, where the workload lacks what it takes.
[[nodiscard]] PsShape shape_of(const PsWorkload& workload, const PsOptions& options, const InputLocation& where);

// The graph of a parameter-server job while build.cpp builds it.

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

/// Adds the GPUs with their lanes, the connections and the servers' threads. Only build.cpp uses it.
void add_lanes(PsJobGraph& graph);

// Only build.cpp uses these.

/// Adds this step's operators, with what they wait for of this step and the one before.
void add_operators(PsJobGraph& graph);
/// Lets this step's update operators wait for its tensors.
void let_updates_wait(PsJobGraph& graph);

/// Adds this step's partitions of one tensor, from the GPUs over the servers and back. Only build.cpp
/// uses it.
void add_partitions(PsJobGraph& graph, const PsCut& cut);

}  // namespace stepsim

#endif
