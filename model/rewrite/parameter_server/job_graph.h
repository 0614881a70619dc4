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

/// Size of a socket's send buffer. Data in it is sent before anything that the sender chooses later.
inline constexpr Bytes kSocketBuffer{std::int64_t{128} * 1024};

/// One direction of the connection between a worker and a server, as lanes of a dag. Messages are sent one after
/// another, in the order in which they are handed over.
///
/// With Control::kFirst, control messages overtake queued messages, but not data that is already in the socket. The
/// sender chooses its next message when the previous one is completely in the socket, which means that at most
/// kSocketBuffer of it remains to be sent. Each message is therefore three tasks: the choice (a lane with priorities,
/// one task at a time), the head and the tail. The end of the head lets the sender choose again. A small message has no
/// head: the end of its tail does this.
class Connection {
 public:
  /// The tasks of a message: `first` waits for the task that hands it over; the message has arrived when `last` ends.
  struct Message {
    TaskId first;
    TaskId last;
  };
  struct Content {
    TaskKind kind = TaskKind::kTransfer;
    NameId name;
    Bytes bytes;
    bool urgent = false;  ///< true for a control message
    Time hint{};
  };

  /// `line` gives the two endpoints, and the name, host and rank of the lane; this constructor sets the rest.
  Connection(DagBuilder& builder, Lane line, Control control);
  Message send(const Content& content);

 private:
  DagBuilder* builder_;
  LaneId line_;
  LaneId choice_;  // invalid if messages are sent in the order in which they are handed over
};

/// A partition of the job to build.
struct PsPartition {
  std::uint32_t index = 0;  ///< index in its tensor
  std::int64_t key = 0;
  Bytes bytes{};
  std::uint32_t server = 0;
  std::uint32_t thread = 0;  ///< thread of the server
  std::int32_t place = 0;    ///< position in the order of keys; used as the priority
};

/// A tensor with its partitions.
struct PsCut {
  std::uint32_t tensor = 0;  ///< index into PsGpu::tensors
  std::vector<PsPartition> partitions;
};

/// The structure of the job, derived from a workload and options before the graph is built.
struct PsShape {
  std::uint32_t workers = 0;
  std::uint32_t servers = 0;
  std::uint32_t local_size = 0;
  std::uint32_t server_threads = 1;
  std::vector<std::uint32_t> source;  ///< for each worker of the job, the captured worker that it is or copies
  std::vector<PsCut> tensors;         ///< tensors, ordered as the first worker computes them
  std::uint32_t partitions = 0;       ///< number of partitions of all tensors
};

/// Divides tensors into partitions, assigns keys to servers, and chooses which captured worker each worker copies.
/// Throws InputError at `where`, one sentence, if the workload lacks required data.
[[nodiscard]] PsShape shape_of(const PsWorkload& workload, const PsOptions& options, const InputLocation& where);

// The graph of a parameter-server job while build.cpp builds it.

/// A GPU of the job, with its tasks in this step and the previous one.
struct PsGpuGraph {
  const PsGpu* source = nullptr;
  std::uint32_t source_index = 0;
  bool recorded = false;  ///< false if it is a copy of a captured GPU
  Rank rank = 0;
  std::uint32_t local_rank = 0;
  std::string host;
  double scale = 1;
  const PsStageCosts* costs = nullptr;

  std::map<std::uint32_t, LaneId> rows;  ///< indexed by PsOperator::row
  LaneId collectives;                    ///< lane of REDUCE and BROADCAST
  LaneId copy_to_host;
  LaneId copy_to_device;
  LaneId hand_overs;

  std::map<std::uint32_t, TaskId> last_of_row;
  std::vector<TaskId> operators;
  std::vector<TaskId> operators_before;
  std::vector<TaskId> done;  ///< for each tensor, the task at whose end the whole tensor is back on the GPU
  std::vector<TaskId> done_before;
};

/// The tasks of a partition, in the order in which they run.
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
    std::int32_t step = -1;  ///< result of step_of() for the current step
  };
  std::vector<Noted> noted;  ///< indexed by task, up to the last task with recorded times
  std::vector<std::pair<TaskId, std::int32_t>> step_first;  ///< the first task of each recorded step
  std::vector<PsGpuGraph> gpus;                             ///< ordered by worker, then local rank
  std::vector<Connection> up;    ///< connections from workers to servers, ordered by worker, then server
  std::vector<Connection> down;  ///< connections from servers to workers, in the same order
  std::vector<LaneId> threads;   ///< ordered by server, then thread
  /// Names of the first GPU's tasks, indexed by PsPartition::place; filled when needed.
  std::vector<std::array<NameId, kPsParts>> names;
  /// Recorded stages, by gpu, step, key and stage.
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::int64_t, PsStage>, PsRun> stage_runs;

  std::uint32_t step = 0;    ///< the step of workload.steps that is being built
  bool is_recorded = false;  ///< false during warm-up
  Time step_begin{};         ///< origin of hints in this step

  [[nodiscard]] PsGpuGraph& gpu(std::uint32_t worker, std::uint32_t local_rank) {
    return gpus[std::size_t{worker} * shape.local_size + local_rank];
  }
  [[nodiscard]] PsGpuGraph& root(std::uint32_t worker) { return gpu(worker, shape.local_size - 1); }
  [[nodiscard]] bool cross() const { return options.job.barrier.value_or(Barrier::kGlobal) == Barrier::kCross; }
  /// Converts a recorded time of this step to a TaskSpec::hint. The start of the GPU's first operator in the step
  /// becomes step_begin.
  [[nodiscard]] Time hint(const PsGpuGraph& gpu, Time recorded_time) const;

  /// Returns the index of this step of `gpu` in Recording::steps, or -1 if it was not recorded.
  [[nodiscard]] std::int32_t step_of(const PsGpuGraph& gpu) const;
  /// Stores the recorded times of a task of `gpu` in this step, if the GPU and the step were recorded.
  void note(TaskId task, const PsGpuGraph& gpu, const std::optional<PsRun>& run);
  /// Stores that the step of `gpu` begins with `task`.
  void note_first(TaskId task, const PsGpuGraph& gpu);
  /// Adds an edge. Does nothing if either task is invalid.
  void link(TaskId from, TaskId to, EdgeKind kind, Duration lag = {});
};

/// Adds the GPUs with their lanes, the connections and the servers' threads. Used only by build.cpp.
void add_lanes(PsJobGraph& graph);

// The next two functions are used only by build.cpp.

/// Adds this step's operators and their dependencies on this step and the previous one.
void add_operators(PsJobGraph& graph);
/// Makes this step's update operators wait for its tensors.
void let_updates_wait(PsJobGraph& graph);

/// Adds this step's partitions of one tensor, from the GPUs through the servers and back. Used only by build.cpp.
void add_partitions(PsJobGraph& graph, const PsCut& cut);

}  // namespace stepsim

#endif
