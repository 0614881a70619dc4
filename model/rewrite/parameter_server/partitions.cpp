#include "model/rewrite/parameter_server/job_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "model/job/task_names.h"

namespace stepsim {
namespace {

/// Size of an acknowledgement or of a request for a pull: one ps-lite message header.
constexpr Bytes kControlMessage{100};

struct PartText {
  std::string_view stage;
  std::string_view message{};
};
constexpr std::array<PartText, kPsParts> kPartTexts{{{"COORDINATE_REDUCE"},
                                                     {"REDUCE"},
                                                     {"COPYD2H"},
                                                     {"COORDINATE_PUSH"},
                                                     {kPush},
                                                     {kPush, kAcknowledgementSuffix},
                                                     {"SUM"},
                                                     {"ALL_RECV"},
                                                     {kPull, ".request"},
                                                     {kPull},
                                                     {"COPYH2D"},
                                                     {"COORDINATE_BROADCAST"},
                                                     {"BROADCAST"}}};

/// Builds the tasks of one partition for all workers in one step.
class PartitionPass {
 public:
  PartitionPass(PsJobGraph& graph, const PsCut& cut, const PsPartition& partition)
      : graph_(graph), cut_(cut), partition_(partition) {}

  void run() {
    for (std::uint32_t worker = 0; worker < graph_.shape.workers; ++worker) send(worker);
    const TaskId all = on_server(PsPart::kAllReceived, {});
    for (const TaskId sum : sums_) graph_.link(sum, all, EdgeKind::kCrossRank);
    for (std::uint32_t worker = 0; worker < graph_.shape.workers; ++worker) receive(worker, all);
  }

 private:
  /// Returns the name of a task. Each name is built only once, because a job with many partitions has more names than
  /// fit into the cache.
  [[nodiscard]] NameId name(const PsGpuGraph& gpu, PsPart part) const {
    const auto tensor = [this](const PsGpuGraph& of) -> const std::string& {
      return of.source->tensors[cut_.tensor].name;
    };
    if (tensor(gpu) != tensor(graph_.gpus.front())) return graph_.builder.intern(text(tensor(gpu), part));
    NameId& known = graph_.names[static_cast<std::size_t>(partition_.place)][static_cast<std::size_t>(part)];
    if (!known.valid()) known = graph_.builder.intern(text(tensor(gpu), part));
    return known;
  }

  [[nodiscard]] std::string text(std::string_view tensor, PsPart part) const {
    const PartText& of = kPartTexts[static_cast<std::size_t>(part)];
    return fmt::format("{}{}.{}.{}{}", kComm, tensor, of.stage, partition_.index, of.message);
  }

  /// Returns the approximate time at which the tensor was computed, which orders tasks that no edge orders.
  [[nodiscard]] Time hint(const PsGpuGraph& gpu) const {
    const std::uint32_t maker = gpu.source->tensors[cut_.tensor].made_by.back();
    return graph_.hint(gpu, gpu.source->operators[maker].runs[graph_.step].finish);
  }

  [[nodiscard]] std::optional<PsRun> recorded(const PsGpuGraph& gpu, PsStage stage) const {
    const auto found = graph_.stage_runs.find({gpu.source_index, graph_.step, partition_.key, stage});
    return found == graph_.stage_runs.end() ? std::nullopt : std::optional{found->second};
  }

  static const PsStageCost& cost(const PsGpuGraph& gpu, PsStage stage) {
    return (*gpu.costs)[static_cast<std::size_t>(stage)];
  }

  TaskId stage(PsGpuGraph& gpu, PsStage stage, PsPart part, TaskKind kind, LaneId lane) {
    const Bytes bytes = share_of(partition_.bytes, gpu.local_rank, graph_.shape.local_size);
    const bool by_priority = graph_.builder.lane(lane).order == LaneOrder::kPriority;
    const TaskId task = graph_.builder.add_task({kind, name(gpu, part), lane, cost(gpu, stage).of(bytes),
                                                 kind == TaskKind::kControl ? Bytes{} : partition_.bytes, hint(gpu),
                                                 by_priority ? partition_.place : 0});
    graph_.note(task, gpu, recorded(gpu, stage));
    return task;
  }

  void follow(TaskId from, TaskId to, const PsGpuGraph& gpu, PsStage stage) {
    graph_.link(from, to, EdgeKind::kStage, cost(gpu, stage).hand_over);
  }

  // ---- up

  /// Adds a worker's tasks of the partition from the gradient to the server's sum.
  void send(std::uint32_t worker) {
    const std::vector<TaskId> reduced = reduce(worker);
    std::vector<TaskId> copied;
    for (std::uint32_t local_rank = 0; local_rank < graph_.shape.local_size; ++local_rank) {
      PsGpuGraph& gpu = graph_.gpu(worker, local_rank);
      copied.push_back(stage(gpu, PsStage::kCopyToHost, PsPart::kCopyToHost, TaskKind::kCopy, gpu.copy_to_host));
      follow(reduced[local_rank], copied.back(), gpu, PsStage::kCopyToHost);
    }
    push(worker, copied);
  }

  /// Adds the reduction inside a worker. All GPUs of the worker begin it when each of them has signalled the root GPU.
  std::vector<TaskId> reduce(std::uint32_t worker) {
    std::vector<TaskId> ready;
    for (std::uint32_t local_rank = 0; local_rank < graph_.shape.local_size; ++local_rank) {
      PsGpuGraph& gpu = graph_.gpu(worker, local_rank);
      ready.push_back(is_root(gpu) ? TaskId{} : signal(gpu, PsStage::kCoordinateReduce, PsPart::kCoordinateReduce));
      for (const std::uint32_t maker : gpu.source->tensors[cut_.tensor].made_by)
        graph_.link(gpu.operators[maker], ready.back(), EdgeKind::kData);
    }
    std::vector<TaskId> reduced = on_all(worker, PsStage::kReduce, PsPart::kReduce, ready);
    const PsGpuGraph& root = graph_.root(worker);
    for (const std::uint32_t maker : root.source->tensors[cut_.tensor].made_by) {
      for (const TaskId task : reduced) graph_.link(root.operators[maker], task, EdgeKind::kData);
    }
    return reduced;
  }

  [[nodiscard]] bool is_root(const PsGpuGraph& gpu) const { return gpu.local_rank + 1 == graph_.shape.local_size; }

  TaskId signal(PsGpuGraph& gpu, PsStage kind, PsPart part) {
    return stage(gpu, kind, part, TaskKind::kControl, gpu.hand_overs);
  }

  /// Adds a stage that all GPUs of a worker begin when all tasks of `ready` have ended.
  std::vector<TaskId> on_all(std::uint32_t worker, PsStage kind, PsPart part, const std::vector<TaskId>& ready) {
    std::vector<TaskId> tasks;
    for (std::uint32_t local_rank = 0; local_rank < graph_.shape.local_size; ++local_rank) {
      PsGpuGraph& gpu = graph_.gpu(worker, local_rank);
      tasks.push_back(stage(gpu, kind, part, TaskKind::kCollective, gpu.collectives));
      for (const TaskId before : ready) follow(before, tasks.back(), gpu, kind);
    }
    return tasks;
  }

  /// Adds PUSH, its acknowledgement, the sum, and the request for the pull.
  void push(std::uint32_t worker, const std::vector<TaskId>& copied) {
    PsGpuGraph& root = graph_.root(worker);
    const Connection::Message push =
        up(worker).send({TaskKind::kTransfer, name(root, PsPart::kPush), partition_.bytes, false, hint(root)});
    graph_.note(push.last, root, recorded(root, PsStage::kPush));
    for (std::uint32_t local_rank = 0; local_rank + 1 < graph_.shape.local_size; ++local_rank) {
      const TaskId told = signal(graph_.gpu(worker, local_rank), PsStage::kCoordinatePush, PsPart::kCoordinatePush);
      graph_.link(copied[local_rank], told, EdgeKind::kStage);
      graph_.link(told, push.first, EdgeKind::kHandOff);
    }
    follow(copied.back(), push.first, root, PsStage::kPush);
    const Connection::Message acknowledged = down(worker).send(
        {TaskKind::kControl, name(root, PsPart::kAcknowledgement), kControlMessage, true, hint(root)});
    graph_.link(push.last, acknowledged.first, EdgeKind::kCrossRank);
    give_credit_back(root, acknowledged.last, copied.back());
    const Connection::Message request =
        up(worker).send({TaskKind::kControl, name(root, PsPart::kRequest), kControlMessage, true, hint(root)});
    follow(acknowledged.last, request.first, root, PsStage::kPull);
    requests_.push_back(request.last);
    sums_.push_back(on_server(PsPart::kSum, push.last));
  }

  /// Makes the acknowledgement return the credit that the copy to the host took. If it already returns credit for its
  /// connection, an extra task after it does so.
  void give_credit_back(const PsGpuGraph& root, TaskId acknowledged, TaskId copied) {
    DagBuilder& builder = graph_.builder;
    if (builder.lane(root.copy_to_host).credit == Bytes{}) return;
    TaskId giver = acknowledged;
    if (builder.returns_credit_of(acknowledged).valid()) {
      giver = builder.add_task({.kind = TaskKind::kControl,
                                .name = name(root, PsPart::kAcknowledgement),
                                .lane = root.hand_overs,
                                .hint = hint(root)});
      graph_.link(acknowledged, giver, EdgeKind::kHandOff);
    }
    builder.return_credit(giver, copied);
  }

  Connection& up(std::uint32_t worker) {
    return graph_.up[std::size_t{worker} * graph_.shape.servers + partition_.server];
  }
  Connection& down(std::uint32_t worker) {
    return graph_.down[std::size_t{worker} * graph_.shape.servers + partition_.server];
  }

  /// Adds a task to the server thread of the partition's key. It adds a push to the server's sum or, if `pushed` is
  /// invalid, takes no time and marks that all pushes were received.
  TaskId on_server(PsPart part, TaskId pushed) {
    const PsGpuGraph& first = graph_.gpus.front();
    const HostRates& rates = graph_.cluster.rates;
    Duration length{};
    if (pushed.valid() && rates.sum.has_value())
      length = rates.sum_overhead + transfer_time(partition_.bytes, *rates.sum);
    const LaneId thread =
        graph_.threads[std::size_t{partition_.server} * graph_.shape.server_threads + partition_.thread];
    const TaskId task = graph_.builder.add_task({TaskKind::kServer, name(first, part), thread, length,
                                                 pushed.valid() ? partition_.bytes : Bytes{}, hint(first)});
    graph_.link(pushed, task, EdgeKind::kCrossRank);
    return task;
  }

  // ---- down

  /// Adds a worker's tasks of the partition from the server's answer to the GPUs.
  void receive(std::uint32_t worker, TaskId all) {
    PsGpuGraph& root = graph_.root(worker);
    const Connection::Message pull =
        down(worker).send({TaskKind::kTransfer, name(root, PsPart::kPull), partition_.bytes, false, hint(root)});
    graph_.note(pull.last, root, recorded(root, PsStage::kPull));
    graph_.link(requests_[worker], pull.first, EdgeKind::kCrossRank);
    graph_.link(all, pull.first, EdgeKind::kCrossRank);
    std::vector<TaskId> copied;
    for (std::uint32_t local_rank = 0; local_rank < graph_.shape.local_size; ++local_rank) {
      PsGpuGraph& gpu = graph_.gpu(worker, local_rank);
      const TaskId copy =
          stage(gpu, PsStage::kCopyToDevice, PsPart::kCopyToDevice, TaskKind::kCopy, gpu.copy_to_device);
      follow(pull.last, copy, gpu, PsStage::kCopyToDevice);
      copied.push_back(copy);
      if (is_root(gpu)) continue;
      copied.back() = signal(gpu, PsStage::kCoordinateBroadcast, PsPart::kCoordinateBroadcast);
      graph_.link(copy, copied.back(), EdgeKind::kStage);
    }
    const std::vector<TaskId> back = on_all(worker, PsStage::kBroadcast, PsPart::kBroadcast, copied);
    for (std::uint32_t local_rank = 0; local_rank < graph_.shape.local_size; ++local_rank)
      graph_.link(back[local_rank], graph_.gpu(worker, local_rank).done[cut_.tensor], EdgeKind::kStage);
  }

  PsJobGraph& graph_;
  const PsCut& cut_;
  const PsPartition& partition_;
  std::vector<TaskId> sums_;      // sums on the server, by worker
  std::vector<TaskId> requests_;  // arrivals of the requests, by worker
};

}  // namespace

void add_partitions(PsJobGraph& graph, const PsCut& cut) {
  for (PsGpuGraph& gpu : graph.gpus) {
    const PsTensor& tensor = gpu.source->tensors[cut.tensor];
    const Time made = gpu.source->operators[tensor.made_by.back()].runs[graph.step].finish;
    gpu.done[cut.tensor] = graph.builder.add_task({.kind = TaskKind::kControl,
                                                   .name = graph.builder.intern(std::string(kComm) + tensor.name),
                                                   .lane = gpu.hand_overs,
                                                   .hint = graph.hint(gpu, made)});
  }
  for (const PsPartition& partition : cut.partitions) PartitionPass(graph, cut, partition).run();
}

}  // namespace stepsim
