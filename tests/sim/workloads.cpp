#include "tests/sim/workloads.h"

#include <random>
#include <vector>

namespace stepsim::testing {
namespace {

std::size_t index(int i) { return static_cast<std::size_t>(i); }

std::vector<LaneId> add_lanes(DagBuilder& builder, int ranks, std::string name, LaneKind kind, LaneOrder order) {
  std::vector<LaneId> lanes;
  for (int r = 0; r < ranks; ++r)
    lanes.push_back(builder.add_lane({.name = name, .rank = r, .kind = kind, .order = order}));
  return lanes;
}

/// One ring all-reduce. Round 0 of rank r follows `before[r]` and, if `before_arrival` is set,
/// the message that it received last. Gives the last round's messages by sender.
class Ring {
 public:
  Ring(DagBuilder& builder, std::vector<LaneId> lanes, Duration message, Duration slow_sender, std::uint32_t jitter)
      : builder_(builder),
        lanes_(std::move(lanes)),
        name_(builder.intern("SEND")),
        message_(message),
        slow_(slow_sender),
        jitter_(jitter) {}

  std::vector<TaskId> add(std::vector<TaskId> before, bool before_arrival) {
    const std::size_t ranks = lanes_.size();
    for (std::size_t round = 0; round < 2 * (ranks - 1); ++round) {
      std::vector<TaskId> sent;
      for (std::size_t r = 0; r < ranks; ++r) {
        sent.push_back(builder_.add_task(
            {.kind = TaskKind::kTransfer, .name = name_, .lane = lanes_[r], .duration = duration(r)}));
      }
      for (std::size_t r = 0; r < ranks && !before.empty(); ++r) {
        builder_.add_edge(before[r], sent[r], EdgeKind::kStage);
        if (round > 0 || before_arrival)
          builder_.add_edge(before[(r + ranks - 1) % ranks], sent[r], EdgeKind::kCrossRank);
      }
      before = std::move(sent);
    }
    return before;
  }

 private:
  Duration duration(std::size_t rank) {
    const Duration jitter{jitter_ == 0 ? 0 : generator_() % jitter_};
    return message_ + jitter + (rank == 0 ? slow_ : Duration{});
  }

  DagBuilder& builder_;
  std::vector<LaneId> lanes_;
  NameId name_;
  Duration message_;
  Duration slow_;
  std::uint32_t jitter_;
  std::mt19937 generator_{1};
};

/// The compute of a train workload: chains of layers, rank by rank.
class Chains {
 public:
  Chains(DagBuilder& builder, const TrainShape& shape)
      : builder_(builder),
        shape_(shape),
        lanes_(add_lanes(builder, shape.ranks, "operators", LaneKind::kOperators, shape.order)),
        last_(index(shape.ranks)) {}

  /// `ends[layer]`: the messages that end the layer's all-reduce of the iteration before.
  void add_forward(const std::vector<std::vector<TaskId>>& ends) {
    for (std::size_t r = 0; r < lanes_.size(); ++r) {
      for (int layer = 0; layer < shape_.layers; ++layer) {
        const TaskId task = add(r, "FW", shape_.forward);
        if (!ends.empty())
          builder_.add_edge(ends[index(layer)][(r + lanes_.size() - 1) % lanes_.size()], task, EdgeKind::kCrossRank);
      }
    }
  }

  /// The backward tasks by layer, then rank.
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

}  // namespace

DagBuilder ring_builder(const RingShape& shape) {
  DagBuilder builder;
  Ring ring{builder, add_lanes(builder, shape.ranks, "NIC", LaneKind::kLink, shape.order), shape.message,
            shape.slow_sender, shape.jitter};
  std::vector<TaskId> last;
  for (int k = 0; k < shape.all_reduces; ++k) last = ring.add(std::move(last), true);
  return builder;
}

Dag ring_workload(const RingShape& shape) { return ring_builder(shape).build().dag; }

DagBuilder train_builder(const TrainShape& shape) {
  DagBuilder builder;
  Chains chains{builder, shape};
  Ring ring{builder, add_lanes(builder, shape.ranks, "NIC", LaneKind::kLink, shape.order), shape.message, Duration{},
            0};
  std::vector<std::vector<TaskId>> ends;
  for (int i = 0; i < shape.iterations; ++i) {
    chains.add_forward(ends);
    const std::vector<std::vector<TaskId>> backward = chains.add_backward();
    ends.resize(index(shape.layers));
    for (int layer = shape.layers; layer-- > 0;) ends[index(layer)] = ring.add(backward[index(layer)], false);
  }
  return builder;
}

Dag train_workload(const TrainShape& shape) { return train_builder(shape).build().dag; }

}  // namespace stepsim::testing
