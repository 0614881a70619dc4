#include "tests/sim/workloads.h"

#include "model/cost/network/network.h"
#include "model/job/topology.h"

#include <random>
#include <vector>

namespace stepsim::testing {
namespace {

std::size_t index(int i) { return static_cast<std::size_t>(i); }

std::vector<LaneId> add_lanes(DagBuilder& builder, int ranks, const std::string& name, LaneKind kind, LaneOrder order) {
  std::vector<LaneId> lanes;
  lanes.reserve(index(ranks));
  for (int r = 0; r < ranks; ++r)
    lanes.push_back(builder.add_lane({.name = name, .rank = r, .kind = kind, .order = order}));
  return lanes;
}

/// Adds one lane per rank, for its messages to the next rank.
std::vector<LaneId> add_ring_lanes(DagBuilder& builder, int ranks, LaneOrder order) {
  std::vector<LaneId> lanes;
  lanes.reserve(index(ranks));
  for (int r = 0; r < ranks; ++r) {
    lanes.push_back(builder.add_lane({.name = "NIC",
                                      .rank = r,
                                      .kind = LaneKind::kLink,
                                      .order = order,
                                      .from = EndpointId{index(r)},
                                      .to = EndpointId{index((r + 1) % ranks)}}));
  }
  return lanes;
}

/// Adds ring all-reduces. A call of add() adds one: its first message from rank r follows `before[r]` and, if
/// `before_arrival` is set, also the last message that the rank received. add() returns the messages of the last round,
/// by sender.
class Ring {
 public:
  Ring(DagBuilder& builder, const RingShape& shape)
      : builder_(builder),
        lanes_(add_ring_lanes(builder, shape.ranks, shape.order)),
        name_(builder.intern("SEND")),
        shape_(shape) {}

  std::vector<TaskId> add(std::vector<TaskId> before, bool before_arrival) {
    const std::size_t ranks = lanes_.size();
    for (std::size_t round = 0; round < 2 * (ranks - 1); ++round) {
      std::vector<TaskId> sent;
      for (std::size_t r = 0; r < ranks; ++r) {
        sent.push_back(builder_.add_task({.kind = TaskKind::kTransfer,
                                          .name = name_,
                                          .lane = lanes_[r],
                                          .duration = duration(r),
                                          .bytes = shape_.bytes}));
      }
      for (std::size_t r = 0; r < ranks && !before.empty(); ++r) {
        builder_.add_edge(before[r], sent[r], EdgeKind::kStream);
        if (round > 0 || before_arrival)
          builder_.add_edge(before[(r + ranks - 1) % ranks], sent[r], EdgeKind::kCrossRank);
      }
      before = std::move(sent);
    }
    return before;
  }

 private:
  Duration duration(std::size_t rank) {
    const Duration jitter{shape_.jitter == 0 ? 0 : generator_() % shape_.jitter};
    return shape_.message + jitter + (rank == 0 ? shape_.slow_sender : Duration{});
  }

  DagBuilder& builder_;
  std::vector<LaneId> lanes_;
  NameId name_;
  RingShape shape_;
  std::mt19937 generator_{1};
};

/// The messages that bring the data which a rank needs for a layer, by layer, then rank.
using LayerEnds = std::vector<std::vector<std::vector<TaskId>>>;

/// Adds the compute tasks of a training workload: a chain of layers for each rank.
class Chains {
 public:
  Chains(DagBuilder& builder, const TrainShape& shape)
      : builder_(builder),
        shape_(shape),
        lanes_(add_lanes(builder, shape.ranks, "operators", LaneKind::kOperators, shape.order)),
        last_(index(shape.ranks)) {}

  /// Adds the forward tasks. Each waits for the messages `ends[layer][rank]` of the previous iteration.
  void add_forward(const LayerEnds& ends) {
    for (std::size_t r = 0; r < lanes_.size(); ++r) {
      for (int layer = 0; layer < shape_.layers; ++layer) {
        const TaskId task = add(r, "FW", shape_.forward);
        if (ends.empty()) continue;
        for (const TaskId end : ends[index(layer)][r]) builder_.add_edge(end, task, EdgeKind::kCrossRank);
      }
    }
  }

  /// Adds the backward tasks and returns them by layer, then rank.
  std::vector<std::vector<TaskId>> add_backward() {
    std::vector<std::vector<TaskId>> tasks(index(shape_.layers), std::vector<TaskId>(lanes_.size()));
    for (std::size_t r = 0; r < lanes_.size(); ++r) {
      for (int layer = shape_.layers; layer-- > 0;) tasks[index(layer)][r] = add(r, "BW", shape_.backward);
    }
    return tasks;
  }

 private:
  TaskId add(std::size_t rank, std::string_view name, Duration base) {
    const Duration jitter{shape_.jitter == 0 ? 0 : generator_() % shape_.jitter};
    const TaskId task = builder_.add_task(
        {.kind = TaskKind::kOperator, .name = builder_.intern(name), .lane = lanes_[rank], .duration = base + jitter});
    if (last_[rank].valid()) builder_.add_edge(last_[rank], task, EdgeKind::kProgram);
    last_[rank] = task;
    return task;
  }

  DagBuilder& builder_;
  const TrainShape& shape_;
  std::mt19937 generator_{1};
  std::vector<LaneId> lanes_;
  std::vector<TaskId> last_;
};

/// Adds the communication of a parameter-server workload.
class Pushes {
 public:
  Pushes(DagBuilder& builder, const ParameterServerShape& shape) : builder_(builder), shape_(shape) {
    for (int s = 0; s < shape.servers; ++s) {
      const int host = shape.workers + s;
      servers_.push_back(builder.add_lane(
          {.name = "sum", .rank = host, .kind = LaneKind::kServerThread, .order = shape.server_order}));
      for (int w = 0; w < shape.workers; ++w) {
        up_.push_back(add_lane("PUSH", w, host));
        down_.push_back(add_lane("PULL", host, w));
      }
    }
  }

  /// Adds the messages of one partition and its sum on the server. The push of each worker follows its task in
  /// `backward`. Returns the pulls, by worker.
  std::vector<TaskId> add(int partition, const std::vector<TaskId>& backward) {
    const std::size_t server = index(partition % shape_.servers);
    const std::vector<TaskId> pushes = add_messages(server, up_, pushed_);
    const TaskId sum = builder_.add_task(
        {.kind = TaskKind::kServer, .name = builder_.intern("SUM"), .lane = servers_[server], .duration = shape_.sum});
    std::vector<TaskId> pulls = add_messages(server, down_, pulled_);
    for (std::size_t w = 0; w < pushes.size(); ++w) {
      builder_.add_edge(backward[w], pushes[w], EdgeKind::kStage);
      builder_.add_edge(pushes[w], sum, EdgeKind::kCrossRank);
      builder_.add_edge(sum, pulls[w], EdgeKind::kStage);
    }
    return pulls;
  }

 private:
  LaneId add_lane(std::string name, int from, int to) {
    return builder_.add_lane({.name = std::move(name),
                              .rank = from,
                              .kind = LaneKind::kLink,
                              .from = EndpointId{index(from)},
                              .to = EndpointId{index(to)}});
  }

  /// Adds one message per worker. If the shape limits the messages in flight, each waits for the earlier message that
  /// must have arrived first.
  std::vector<TaskId> add_messages(std::size_t server, const std::vector<LaneId>& lanes,
                                   std::vector<std::vector<TaskId>>& before) {
    const auto workers = index(shape_.workers);
    std::vector<TaskId> added;
    for (std::size_t w = 0; w < workers; ++w) {
      const LaneId lane = lanes[server * workers + w];
      added.push_back(builder_.add_task(
          {.kind = TaskKind::kTransfer,
           .name = builder_.lane(lane).name == "PUSH" ? builder_.intern("PUSH") : builder_.intern("PULL"),
           .lane = lane,
           .duration = shape_.message,
           .bytes = shape_.bytes}));
    }
    before.push_back(added);
    const auto window = index(shape_.in_flight);
    if (window > 0 && before.size() > window) {
      const std::vector<TaskId>& earlier = before[before.size() - 1 - window];
      for (std::size_t w = 0; w < workers; ++w) builder_.add_edge(earlier[w], added[w], EdgeKind::kStage);
    }
    return added;
  }

  DagBuilder& builder_;
  const ParameterServerShape& shape_;
  std::vector<LaneId> servers_;
  std::vector<LaneId> up_;                   ///< by server, then worker
  std::vector<LaneId> down_;                 ///< by server, then worker
  std::vector<std::vector<TaskId>> pushed_;  ///< by order of creation, then worker
  std::vector<std::vector<TaskId>> pulled_;
};

TrainShape compute_of(const ParameterServerShape& shape) {
  return {.ranks = shape.workers,
          .layers = shape.layers,
          .forward = shape.forward,
          .backward = shape.backward,
          .jitter = shape.jitter};
}

}  // namespace

DagBuilder ring_builder(const RingShape& shape) {
  DagBuilder builder;
  Ring ring{builder, shape};
  std::vector<TaskId> last;
  for (int k = 0; k < shape.all_reduces; ++k) last = ring.add(std::move(last), true);
  return builder;
}

Dag ring_workload(const RingShape& shape) { return ring_builder(shape).build().dag; }

DagBuilder train_builder(const TrainShape& shape) {
  DagBuilder builder;
  Chains chains{builder, shape};
  Ring ring{builder, {.ranks = shape.ranks, .message = shape.message, .bytes = shape.bytes, .order = shape.order}};
  LayerEnds ends;
  for (int i = 0; i < shape.iterations; ++i) {
    chains.add_forward(ends);
    const std::vector<std::vector<TaskId>> backward = chains.add_backward();
    ends.assign(index(shape.layers), {});
    for (int layer = shape.layers; layer-- > 0;) {
      const std::vector<TaskId> last = ring.add(backward[index(layer)], false);
      for (std::size_t r = 0; r < last.size(); ++r)
        ends[index(layer)].push_back({last[(r + last.size() - 1) % last.size()]});
    }
  }
  return builder;
}

Dag train_workload(const TrainShape& shape) { return train_builder(shape).build().dag; }

DagBuilder parameter_server_builder(const ParameterServerShape& shape) {
  DagBuilder builder;
  const TrainShape compute = compute_of(shape);
  Chains chains{builder, compute};
  Pushes pushes{builder, shape};
  LayerEnds ends;
  for (int i = 0; i < shape.iterations; ++i) {
    chains.add_forward(ends);
    const std::vector<std::vector<TaskId>> backward = chains.add_backward();
    ends.assign(index(shape.layers), std::vector<std::vector<TaskId>>(index(shape.workers)));
    for (int layer = shape.layers; layer-- > 0;) {
      for (int p = 0; p < shape.partitions; ++p) {
        const std::vector<TaskId> pulls = pushes.add(layer * shape.partitions + p, backward[index(layer)]);
        for (std::size_t w = 0; w < pulls.size(); ++w) ends[index(layer)][w].push_back(pulls[w]);
      }
    }
  }
  return builder;
}

Dag parameter_server_workload(const ParameterServerShape& shape) { return parameter_server_builder(shape).build().dag; }

Cluster oracle_cluster(int hosts) {
  return star(index(hosts), {.bandwidth = Bandwidth::from_bytes_per_second(12.5e9), .latency = Duration{1000}});
}

Cluster log_gp_cluster(int hosts) {
  Cluster cluster = star(index(hosts), {.bandwidth = Bandwidth::from_bytes_per_second(1e9), .latency = Duration{500}});
  cluster.network.set_value(*find_network_parameter("loggp.o"), Duration{200});
  return cluster;
}

}  // namespace stepsim::testing
