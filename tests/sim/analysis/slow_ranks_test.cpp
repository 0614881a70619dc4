#include "sim/analysis/slow_ranks.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/sim/dag_maker.h"

namespace stepsim::sim {
namespace {

using stepsim::testing::DagMaker;

/// Returns a capture of one step of each rank, recorded as the graph is replayed. `firsts` has the first task of each
/// rank.
Capture captured(DagMaker& maker, const std::vector<TaskId>& firsts) {
  Capture capture;
  capture.dag = maker.build();
  const Timeline recorded = replay(capture.dag, Machine(capture.dag));
  Recording& recording = capture.recording;
  recording.start = recorded.start;
  recording.finish = recorded.finish;
  for (const TaskId task : capture.dag.tasks()) recording.step.push_back(capture.dag.lane(task).rank);
  for (std::size_t i = 0; i < firsts.size(); ++i) {
    const auto rank = static_cast<Rank>(i);
    recording.steps.push_back({.rank = rank, .number = 7, .first = maker.new_id(firsts[i])});
    recording.ranks.push_back(rank);
  }
  return capture;
}

/// Ranks compute for these times and then reduce for 4 ns together.
Capture data_parallel(const std::vector<std::int64_t>& times) {
  DagMaker maker;
  std::vector<TaskId> firsts;
  const RendezvousId all = maker.builder.add_rendezvous();
  for (std::size_t rank = 0; rank < times.size(); ++rank) {
    const LaneId lane = maker.lane(static_cast<Rank>(rank));
    firsts.push_back(maker.task(lane, times[rank], {}, "compute", TaskKind::kOperator));
    maker.builder.join(all, maker.task(lane, 4, {firsts.back()}, "reduce", TaskKind::kCollective));
  }
  return captured(maker, firsts);
}

TEST(SlowRanksTest, TheSlowRankCostsTheTimeUpToTheMean) {
  const auto slow = slow_ranks(data_parallel({10, 30}), {});
  ASSERT_TRUE(slow);
  EXPECT_EQ(slow->replayed, Duration{30 + 4});
  EXPECT_EQ(slow->ideal, Duration{20 + 4});
  ASSERT_EQ(slow->ranks.size(), 2U);
  EXPECT_EQ(slow->ranks[0].number, 1);
  EXPECT_DOUBLE_EQ(slow->ranks[0].slowdown, 34.0 / 24);
  EXPECT_EQ(slow->ranks[0].saves, Duration{34 - 24});
  EXPECT_EQ(slow->ranks[1].number, 0);
  EXPECT_DOUBLE_EQ(slow->ranks[1].slowdown, 1) << "it waits for the other, which takes the mean";
  EXPECT_EQ(slow->ranks[1].saves, Duration{});
  ASSERT_EQ(slow->steps.size(), 1U);
  EXPECT_EQ(slow->steps[0].number, 7);
  EXPECT_EQ(slow->ranks[0].by_step, std::vector<double>{34.0 / 24});
  EXPECT_TRUE(slow->stages.empty()) << "places are unknown";
}

TEST(SlowRanksTest, EqualRanksCostNothing) {
  const auto slow = slow_ranks(data_parallel({20, 20}), {});
  ASSERT_TRUE(slow);
  EXPECT_EQ(slow->replayed, slow->ideal);
  for (const SlowPart& rank : slow->ranks) {
    EXPECT_DOUBLE_EQ(rank.slowdown, 1);
    EXPECT_EQ(rank.saves, Duration{});
  }
}

TEST(SlowRanksTest, TheSlowStageOfAPipelineIsNotTheOneThatArrivesLast) {
  // Stage 0 computes for 30 ns and sends for 2 ns; stage 1, which waits from the start, computes for 10 ns.
  DagMaker maker;
  const TaskId first = maker.task(maker.lane(0), 30, {}, "forward", TaskKind::kOperator);
  const TaskId send = maker.task(maker.lane(0), 2, {first}, "send", TaskKind::kCollective);
  const TaskId begin = maker.task(maker.lane(1), 0, {}, "begin", TaskKind::kControl);
  const TaskId receive = maker.task(maker.lane(1), 2, {begin}, "receive", TaskKind::kCollective);
  maker.task(maker.lane(1), 10, {receive}, "forward", TaskKind::kOperator);
  const RendezvousId message = maker.builder.add_rendezvous({.op = CollectiveOp::kSendRecv});
  maker.builder.join(message, send);
  maker.builder.join(message, receive);
  Capture capture = captured(maker, {first, begin});
  capture.places = {{0, {0, 0}}, {1, {0, 1}}};
  const auto slow = slow_ranks(capture, {});
  ASSERT_TRUE(slow);
  EXPECT_EQ(slow->replayed, Duration{30 + 2 + 10});
  EXPECT_EQ(slow->ideal, Duration{20 + 2 + 20});
  ASSERT_EQ(slow->stages.size(), 2U);
  EXPECT_EQ(slow->stages[0].number, 0);
  EXPECT_DOUBLE_EQ(slow->stages[0].slowdown, 52.0 / 42);
  EXPECT_DOUBLE_EQ(slow->stages[1].slowdown, 32.0 / 42) << "faster than the mean";
  ASSERT_EQ(slow->data_ranks.size(), 1U);
  EXPECT_DOUBLE_EQ(slow->data_ranks[0].slowdown, 1) << "both stages together";
}

TEST(SlowRanksTest, UnexplainedWaitsAreLeftOut) {
  DagMaker maker;
  const TaskId a = maker.task(maker.lane(0), 10, {}, "compute", TaskKind::kOperator);
  const TaskId b = maker.task(maker.lane(1), 30, {}, "compute", TaskKind::kOperator);
  const TaskId late = maker.task(maker.lane(0), 1, {}, "compute again", TaskKind::kOperator);
  maker.builder.add_edge(a, late, EdgeKind::kData, Duration{100});
  Capture capture = captured(maker, {a, b});
  capture.recording.unexplained = {{maker.new_id(late), Duration{100}, "host thread"}};
  const auto slow = slow_ranks(capture, {});
  ASSERT_TRUE(slow);
  EXPECT_EQ(slow->replayed, Duration{30});
}

TEST(SlowRanksTest, LikeRanksShareTheirReplays) {
  const Capture capture = data_parallel({10, 30, 10, 30, 20});
  std::vector<std::size_t> progress;
  const auto slow = slow_ranks(capture, {.progress = [&](std::size_t done) { progress.push_back(done); }});
  ASSERT_TRUE(slow);
  EXPECT_EQ(progress.size(), 2U + 2 * 3) << "ranks 0 and 2 are alike, and 1 and 3";
  EXPECT_EQ(progress.back(), replays_for_slow_ranks(capture));
  std::vector<std::int32_t> order;
  for (const SlowPart& rank : slow->ranks) {
    order.push_back(rank.number);
    EXPECT_DOUBLE_EQ(rank.slowdown, rank.number % 2 == 1 ? 34.0 / 24 : 1.0) << rank.number;
    EXPECT_EQ(rank.saves, Duration{}) << "another rank takes 30 ns";
  }
  EXPECT_EQ(order, (std::vector<std::int32_t>{1, 3, 0, 2, 4}));
}

TEST(SlowRanksTest, OneThreadOrManyGiveTheSame) {
  const Capture capture = data_parallel({17, 29});
  const auto one = slow_ranks(capture, {.threads = 1});
  const auto many = slow_ranks(capture, {.threads = 4});
  ASSERT_TRUE(one && many);
  for (std::size_t i = 0; i < one->ranks.size(); ++i) {
    EXPECT_EQ(one->ranks[i].number, many->ranks[i].number);
    EXPECT_EQ(one->ranks[i].slowdown, many->ranks[i].slowdown);
    EXPECT_EQ(one->ranks[i].saves, many->ranks[i].saves);
  }
}

TEST(SlowRanksTest, OneRankCannotBeCompared) {
  DagMaker maker;
  const TaskId alone = maker.task(maker.lane(0), 10, {}, "compute", TaskKind::kOperator);
  EXPECT_FALSE(slow_ranks(captured(maker, {alone}), {}));
}

}  // namespace
}  // namespace stepsim::sim
