#include "model/rewrite/parameter_server/job_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace stepsim {
namespace {

/// BYTEPS_NCCL_GROUP_SIZE: the number of partitions that are reduced or broadcast together.
constexpr std::uint32_t kNcclGroup = 4;

Lane lane_of(const PsGpuGraph& gpu, std::string name, LaneKind kind, LaneOrder order) {
  return {std::move(name), gpu.host, gpu.rank, kind, order};
}

void add_lanes_of(PsJobGraph& graph, PsGpuGraph& gpu) {
  DagBuilder& builder = graph.builder;
  for (const PsOperator& op : gpu.source->operators) {
    if (gpu.rows.contains(op.row)) continue;
    std::string name = gpu.rows.empty() ? "operators" : fmt::format("operators {}", gpu.rows.size());
    gpu.rows[op.row] = builder.add_lane(lane_of(gpu, std::move(name), LaneKind::kOperators, LaneOrder::kEdges));
  }
  Lane collectives = lane_of(gpu, "REDUCE, BROADCAST", LaneKind::kStream, LaneOrder::kFifo);
  collectives.device = static_cast<std::int32_t>(gpu.local_rank);
  collectives.capacity = kNcclGroup;
  gpu.collectives = builder.add_lane(std::move(collectives));
  gpu.hand_overs = builder.add_lane(lane_of(gpu, "hand-overs", LaneKind::kThread, LaneOrder::kEdges));
  const Job& job = graph.options.job;
  const bool by_priority = job.schedule.value_or(Schedule::kFifo) == Schedule::kPriority;
  Lane copies = lane_of(gpu, "COPYD2H", LaneKind::kCopyEngine, by_priority ? LaneOrder::kPriority : LaneOrder::kFifo);
  const bool pushes = gpu.local_rank + 1 == graph.shape.local_size;
  if (pushes) copies.credit = job.credit_bytes.value_or(Bytes{});
  gpu.copy_to_host = builder.add_lane(std::move(copies));
  gpu.copy_to_device = builder.add_lane(lane_of(gpu, "COPYH2D", LaneKind::kCopyEngine, LaneOrder::kFifo));
}

void add_gpu(PsJobGraph& graph, std::uint32_t worker, std::uint32_t local_rank) {
  const PsShape& shape = graph.shape;
  const std::vector<double>& scales = graph.options.compute_scale;
  PsGpuGraph gpu;
  gpu.source_index = shape.source[worker] * shape.local_size + local_rank;
  gpu.source = &graph.workload.gpus[gpu.source_index];
  gpu.recorded = worker < graph.workload.workers();
  gpu.rank = static_cast<Rank>(std::uint64_t{worker} * shape.local_size + local_rank);
  gpu.local_rank = local_rank;
  gpu.host = gpu.recorded ? gpu.source->host : fmt::format("worker {}", worker);
  gpu.scale = worker < scales.size() ? scales[worker] : 1;
  gpu.costs = local_rank + 1 == shape.local_size ? &graph.on_root : &graph.on_others;
  add_lanes_of(graph, gpu);
  graph.gpus.push_back(std::move(gpu));
}

Connection connect(PsJobGraph& graph, std::uint32_t worker, std::uint32_t server, bool up) {
  const PsGpuGraph& root = graph.root(worker);
  const EndpointId worker_end{worker};
  const EndpointId server_end{std::size_t{graph.shape.workers} + server};
  Lane line = lane_of(root, fmt::format("{} server {}", up ? "to" : "from", server), LaneKind::kLink, LaneOrder::kFifo);
  line.from = up ? worker_end : server_end;
  line.to = up ? server_end : worker_end;
  return {graph.builder, std::move(line), graph.options.job.control.value_or(Control::kInline)};
}

}  // namespace

void add_lanes(PsJobGraph& graph) {
  const PsShape& shape = graph.shape;
  graph.gpus.reserve(std::size_t{shape.workers} * shape.local_size);
  for (std::uint32_t worker = 0; worker < shape.workers; ++worker) {
    for (std::uint32_t local_rank = 0; local_rank < shape.local_size; ++local_rank) add_gpu(graph, worker, local_rank);
  }
  for (std::uint32_t worker = 0; worker < shape.workers; ++worker) {
    for (std::uint32_t server = 0; server < shape.servers; ++server) {
      graph.up.push_back(connect(graph, worker, server, true));
      graph.down.push_back(connect(graph, worker, server, false));
    }
  }
  for (std::uint32_t server = 0; server < shape.servers; ++server) {
    for (std::uint32_t thread = 0; thread < shape.server_threads; ++thread) {
      graph.threads.push_back(
          graph.builder.add_lane({fmt::format("server {} thread {}", server, thread), fmt::format("server {}", server),
                                  graph.gpus.front().rank, LaneKind::kServerThread, LaneOrder::kFifo}));
    }
  }
}

namespace {

constexpr std::int32_t kUrgent = 0;
constexpr std::int32_t kBulk = 1;
/// Maximum size of a message that goes into the socket completely, so that the sender can continue immediately. It fits
/// there together with a part of a larger message.
constexpr Bytes kSmall{kSocketBuffer.count() / 2};

}  // namespace

Connection::Connection(DagBuilder& builder, Lane line, Control control) : builder_(&builder) {
  line.kind = LaneKind::kLink;
  line.order = LaneOrder::kFifo;
  line.capacity = 1;
  if (control == Control::kFirst) {
    Lane choice{line.name + ", next", line.host, line.rank, LaneKind::kThread, LaneOrder::kPriority};
    choice.credit = kSocketBuffer + kSmall;
    choice_ = builder.add_lane(std::move(choice));
  }
  line_ = builder.add_lane(std::move(line));
}

Connection::Message Connection::send(const Content& content) {
  TaskSpec whole{content.kind, content.name, line_, {}, content.bytes, content.hint};
  if (!choice_.valid()) {
    const TaskId sent = builder_->add_task(whole);
    return {sent, sent};
  }
  const bool small = content.bytes <= kSmall;
  const TaskId chosen = builder_->add_task({TaskKind::kControl,
                                            whole.name,
                                            choice_,
                                            {},
                                            small ? content.bytes : kSocketBuffer,
                                            content.hint,
                                            content.urgent ? kUrgent : kBulk});
  TaskId head;
  if (!small) {
    whole.bytes = std::max(Bytes{}, content.bytes - kSocketBuffer);
    head = builder_->add_task(whole);
    builder_->add_edge(chosen, head, EdgeKind::kProgram);
    whole.bytes = content.bytes - whole.bytes;
  }
  const TaskId tail = builder_->add_task(whole);
  builder_->add_edge(chosen, tail, EdgeKind::kProgram);
  builder_->return_credit(small ? tail : head, chosen);
  return {chosen, tail};
}

}  // namespace stepsim
