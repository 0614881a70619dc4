#include "sim/analysis/like_parts.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "tests/sim/dag_maker.h"

namespace stepsim::sim {
namespace {

using stepsim::testing::DagMaker;
using Classes = std::vector<std::vector<std::size_t>>;

/// Four ranks compute for 10 ns and then reduce for 4 ns together.
struct AlikeJob {
  explicit AlikeJob(LaneOrder order = LaneOrder::kEdges) {
    const RendezvousId all = maker.builder.add_rendezvous();
    for (Rank rank = 0; rank < 4; ++rank) {
      lanes.push_back(maker.lane(rank, order));
      computes.push_back(maker.task(lanes.back(), 10, {}, "compute"));
      reduces.push_back(maker.task(lanes.back(), 4, {computes.back()}, "reduce", TaskKind::kCollective));
      maker.builder.join(all, reduces.back());
    }
  }

  /// Returns the classes of the ranks, or of pairs of ranks.
  Classes classes(
      std::size_t ranks_of_part = 1, const TaskFacts& facts = [](TaskId, const auto&) {}) {
    Capture capture;
    capture.dag = maker.build();
    capture.recording.step.assign(capture.dag.task_count(), 0);
    capture.recording.steps.push_back({.rank = 0, .number = 7, .first = maker.new_id(computes[0])});
    for (Rank rank = 1; rank < 4; ++rank) {
      const auto i = static_cast<std::size_t>(rank);
      capture.recording.steps.push_back({.rank = rank, .number = 7, .first = maker.new_id(computes[i])});
    }
    for (const TaskId task : capture.dag.tasks()) capture.recording.step[task.index()] = capture.dag.lane(task).rank;
    return like_parts(
        capture, 4 / ranks_of_part, [=](Rank rank) { return static_cast<std::size_t>(rank) / ranks_of_part; }, facts);
  }

  DagMaker maker;
  std::vector<LaneId> lanes;
  std::vector<TaskId> computes;
  std::vector<TaskId> reduces;
};

const Classes kEachItsOwn{{0}, {1}, {2}, {3}};

TEST(LikePartsTest, RanksThatDoTheSameAreAlike) { EXPECT_EQ(AlikeJob().classes(), (Classes{{0, 1, 2, 3}})); }

TEST(LikePartsTest, ATaskMoreMakesARankDiffer) {
  AlikeJob job;
  job.maker.task(job.lanes[2], 0, {job.reduces[2]});
  EXPECT_EQ(job.classes(), (Classes{{0, 1, 3}, {2}}));
}

TEST(LikePartsTest, SoDoesAnotherLag) {
  AlikeJob job;
  for (const std::size_t rank : {std::size_t{0}, std::size_t{1}}) {
    const TaskId last = job.maker.task(job.lanes[rank], 1);
    job.maker.builder.add_edge(job.reduces[rank], last, EdgeKind::kData, Duration{static_cast<std::int64_t>(rank)});
  }
  EXPECT_EQ(job.classes(), (Classes{{0}, {1}, {2, 3}}));
}

TEST(LikePartsTest, AndAnotherLane) {
  AlikeJob job;
  job.maker.task(job.maker.lane(0), 1, {job.reduces[0]});
  job.maker.task(job.lanes[1], 1, {job.reduces[1]});
  EXPECT_EQ(job.classes(), (Classes{{0}, {1}, {2, 3}}));
}

TEST(LikePartsTest, AndAnyOtherFact) {
  std::int64_t fact = 0;
  const auto facts = [&fact](TaskId, const std::function<void(std::int64_t)>& add) { add(fact++); };
  EXPECT_EQ(AlikeJob().classes(1, facts), kEachItsOwn);
}

TEST(LikePartsTest, RanksOfDifferentGroupsAreNotAlikeButTheGroupsAre) {
  const auto pairs = [] {
    AlikeJob job;
    for (const std::size_t first : {std::size_t{0}, std::size_t{2}}) {
      const RendezvousId pair = job.maker.builder.add_rendezvous();
      for (const std::size_t rank : {first, first + 1}) {
        const TaskId part = job.maker.task(job.lanes[rank], 3, {job.reduces[rank]}, "pair", TaskKind::kCollective);
        job.maker.builder.join(pair, part);
      }
    }
    return job;
  };
  EXPECT_EQ(pairs().classes(), (Classes{{0, 1}, {2, 3}}));
  EXPECT_EQ(pairs().classes(2), (Classes{{0, 1}}));
}

TEST(LikePartsTest, APartWithEdgesToOthersIsLikeNoOther) {
  AlikeJob job;
  for (const std::size_t rank : {std::size_t{0}, std::size_t{1}})
    job.maker.task(job.lanes[rank], 1, {job.reduces[rank], job.reduces[3]});
  EXPECT_EQ(job.classes(), kEachItsOwn);
}

TEST(LikePartsTest, QueuesPreferSmallerNumbers) { EXPECT_EQ(AlikeJob(LaneOrder::kFifo).classes(), kEachItsOwn); }

}  // namespace
}  // namespace stepsim::sim
