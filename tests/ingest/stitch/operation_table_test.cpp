#include "ingest/stitch/operation_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/analysis/rank_steps.h"
#include "sim/engine/engine.h"
#include "tests/thrown_by.h"

namespace stepsim::ingest {
namespace {

/// Makes a table; times are in milliseconds.
class TableMaker {
 public:
  void add(std::int64_t step, ParallelPlace place, std::string_view name, std::int64_t start, std::int64_t duration,
           std::int64_t sequence = 0) {
    const auto [found, is_new] = names_.try_emplace(std::string(name), table_.texts.size());
    if (is_new) table_.texts.emplace_back(name);
    table_.operations.push_back({step, place, TextId{found->second}, Time{ms(start)}, ms(duration), sequence});
  }
  [[nodiscard]] Capture capture() {
    Assembly assembly;
    stitch_operations(ranks_of(std::move(table_), "table.csv"), assembly);
    return finish(std::move(assembly));
  }
  [[nodiscard]] static Duration ms(std::int64_t count) { return Duration{count * 1'000'000}; }

 private:
  OperationTable table_;
  std::map<std::string, std::size_t> names_;
};

constexpr auto kMs = &TableMaker::ms;

std::vector<TaskId> tasks_named(const Capture& capture, std::string_view name) {
  std::vector<TaskId> tasks;
  for (const TaskId task : capture.dag.tasks()) {
    if (capture.dag.name(task) == name) tasks.push_back(task);
  }
  return tasks;
}

/// One micro batch through two stages of one data-parallel rank. The message and its way back take 1 ms.
void add_micro_batch(TableMaker& maker, std::int64_t step, std::int64_t forward_0) {
  const std::int64_t sent = forward_0 + 1;
  maker.add(step, {0, 0}, "forward-compute", 0, forward_0);
  maker.add(step, {0, 0}, "forward-send", forward_0, 1);
  maker.add(step, {0, 1}, "forward-recv", 0, sent);
  maker.add(step, {0, 1}, "forward-compute", sent, 20);
  maker.add(step, {0, 1}, "backward-compute", sent + 20, 40);
  maker.add(step, {0, 1}, "backward-send", sent + 60, 1);
  maker.add(step, {0, 0}, "backward-recv", sent, 61);
  maker.add(step, {0, 0}, "backward-compute", sent + 61, 30);
}

TEST(OperationStitchTest, AReplayEndsWhenTheRecordingDid) {
  TableMaker maker;
  add_micro_batch(maker, 16, 10);
  add_micro_batch(maker, 21, 50);
  const Capture capture = maker.capture();
  EXPECT_EQ(capture.places, (std::map<Rank, ParallelPlace>{{0, {0, 0}}, {1, {0, 1}}}));
  const sim::Timeline timeline = sim::replay(capture.dag, sim::Machine::as_recorded(capture));
  for (const TaskId task : capture.dag.tasks())
    EXPECT_EQ(timeline.finish[task.index()], capture.recording.finish[task.index()]) << capture.dag.name(task);
  const auto ranks = sim::rank_steps(capture.dag, capture.recording, timeline);
  ASSERT_EQ(ranks.at(0).steps.size(), 2U);
  EXPECT_EQ(ranks.at(0).steps[0].time.replayed, kMs(10 + 1 + 20 + 40 + 1 + 30));
  EXPECT_EQ(ranks.at(0).steps[1].time.replayed, kMs(50 + 1 + 20 + 40 + 1 + 30));
  EXPECT_EQ(ranks.at(0).steps[0].time.error(), 0);
  EXPECT_TRUE(capture.recording.unexplained.empty()) << "all waits follow from messages";
}

TEST(OperationStitchTest, AMessageTakesTheTimeFromTheLaterEnd) {
  TableMaker maker;
  add_micro_batch(maker, 1, 10);
  const Capture capture = maker.capture();
  for (const std::string_view name : {"forward-send", "forward-recv", "backward-send", "backward-recv"}) {
    const auto tasks = tasks_named(capture, name);
    ASSERT_EQ(tasks.size(), 1U) << name;
    EXPECT_EQ(capture.dag.duration(tasks[0]), kMs(1)) << name;
    ASSERT_TRUE(capture.dag.rendezvous(tasks[0]).valid()) << name;
  }
  const Collective& forward = capture.dag.collective(capture.dag.rendezvous(tasks_named(capture, "forward-send")[0]));
  const Collective& backward = capture.dag.collective(capture.dag.rendezvous(tasks_named(capture, "backward-send")[0]));
  EXPECT_EQ(forward.op, CollectiveOp::kSendRecv);
  EXPECT_EQ(forward.root, 0U) << "stage 0 sends";
  EXPECT_EQ(backward.root, 1U) << "stage 1 sends";
}

TEST(OperationStitchTest, ASlowerStageDelaysTheOther) {
  TableMaker maker;
  add_micro_batch(maker, 1, 10);
  const Capture capture = maker.capture();
  std::vector<Duration> durations;
  for (const TaskId task : capture.dag.tasks()) {
    const bool slower = capture.dag.name(task) == "forward-compute" && capture.dag.lane(task).rank == 0;
    durations.push_back(capture.dag.duration(task) + (slower ? kMs(5) : Duration{}));
  }
  sim::Machine machine = sim::Machine::as_recorded(capture);
  machine.set_durations(durations);
  const auto ranks = sim::rank_steps(capture.dag, capture.recording, sim::replay(capture.dag, machine));
  EXPECT_EQ(ranks.at(0).steps[0].time.replayed, kMs(102 + 5));
}

/// Stage 0 sends at 10 ms to stage 1, which receives at 99 ms, and computes again from `second` on.
Capture with_late_receiver(std::int64_t second) {
  TableMaker maker;
  maker.add(1, {0, 0}, "forward-compute", 0, 10, 0);
  maker.add(1, {0, 0}, "forward-send", 10, 90, 0);
  maker.add(1, {0, 0}, "forward-compute", second, 10, 1);
  maker.add(1, {0, 1}, "other work", 0, 99);
  maker.add(1, {0, 1}, "forward-recv", 99, 1, 0);
  return maker.capture();
}

TEST(OperationStitchTest, WhatStillRanIsNotWaitedFor) {
  const Capture capture = with_late_receiver(10);
  const sim::Timeline timeline = sim::replay(capture.dag, sim::Machine::as_recorded(capture));
  const TaskId second = tasks_named(capture, "forward-compute")[1];
  EXPECT_EQ(timeline.finish[second.index()], Time{kMs(20)});
  EXPECT_EQ(timeline.finish[tasks_named(capture, "forward-recv")[0].index()], Time{kMs(100)});
}

TEST(OperationStitchTest, ASendThatHadEndedIsWaitedFor) {
  EXPECT_TRUE(with_late_receiver(100).recording.unexplained.empty())
      << "the receiver explains why the second computation is late";
}

TEST(OperationStitchTest, SendAndReceiveOfOneBatchDoNotWaitForEachOther) {
  // Both stages exchange: each starts its send and its receive together, which would be a cycle if sends waited.
  TableMaker maker;
  maker.add(1, {0, 0}, "forward-compute", 0, 10);
  maker.add(1, {0, 0}, "backward-recv", 10, 5);
  maker.add(1, {0, 0}, "forward-send", 10, 5);
  maker.add(1, {0, 1}, "backward-compute", 0, 14);
  maker.add(1, {0, 1}, "backward-send", 14, 1);
  maker.add(1, {0, 1}, "forward-recv", 14, 1);
  const Capture capture = maker.capture();
  const sim::Timeline timeline = sim::replay(capture.dag, sim::Machine::as_recorded(capture));
  EXPECT_EQ(timeline.finish[tasks_named(capture, "backward-recv")[0].index()], Time{kMs(15)});
  EXPECT_EQ(timeline.finish[tasks_named(capture, "forward-recv")[0].index()], Time{kMs(15)});
}

TEST(OperationStitchTest, CollectivesJoinTheRanksThatTheirNamesTell) {
  TableMaker maker;
  for (const std::uint32_t data_rank : {0U, 1U}) {
    for (const std::uint32_t stage : {0U, 1U, 2U}) {
      maker.add(1, {data_rank, stage}, "grads-reduce-scatter", 0, 10);
      if (stage != 1) maker.add(1, {data_rank, stage}, "embedding-grads-all-reduce", 10, 10);
      maker.add(1, {data_rank, stage}, "optimizer-clip-main-grad", 20, 10);
    }
  }
  const Capture capture = maker.capture();
  const auto members = [&](std::string_view name) {
    std::vector<std::vector<Rank>> found;
    for (const RendezvousId id : capture.dag.all_rendezvous()) {
      std::vector<Rank> ranks;
      for (const TaskId member : capture.dag.members(id)) {
        if (capture.dag.name(member) == name) ranks.push_back(capture.dag.lane(member).rank);
      }
      std::sort(ranks.begin(), ranks.end());
      if (!ranks.empty()) found.push_back(std::move(ranks));
    }
    std::sort(found.begin(), found.end());
    return found;
  };
  using Groups = std::vector<std::vector<Rank>>;  // rank = 2 * stage + data-parallel rank
  EXPECT_EQ(members("grads-reduce-scatter"), (Groups{{0, 1}, {2, 3}, {4, 5}}));
  EXPECT_EQ(members("embedding-grads-all-reduce"), (Groups{{0, 4}, {1, 5}}));
  EXPECT_EQ(members("optimizer-clip-main-grad"), (Groups{{0, 1, 2, 3, 4, 5}}));
}

TEST(OperationStitchTest, TheLastStageOfAnInterleavedPipelineSendsToTheFirst) {
  TableMaker maker;
  maker.add(1, {0, 1}, "forward-compute", 0, 10);
  maker.add(1, {0, 1}, "forward-send", 10, 1);
  maker.add(1, {0, 0}, "forward-recv", 0, 11);
  const Capture capture = maker.capture();
  EXPECT_EQ(capture.dag.rendezvous_count(), 1U);
  EXPECT_EQ(capture.diagnostics.count_of("unmatched_message"), 0U);
}

TEST(OperationStitchTest, StepsThatDoNotFitInto64BitsAreRefused) {
  TableMaker maker;
  for (std::int64_t step = 0; step < 2000; ++step) maker.add(step, {0, 0}, "optimizer", 1'000'000'000, 1'000'000'000);
  EXPECT_EQ(stepsim::testing::thrown_by<InputError>([&] { (void)maker.capture(); }),
            "table.csv: the steps up to 1500 take more than 95 years; expected shorter ones");
}

TEST(OperationStitchTest, WhatHasNoCounterpartIsCounted) {
  TableMaker maker;
  maker.add(1, {0, 0}, "forward-send", 0, 10);
  maker.add(1, {0, 1}, "optimizer", 0, 10);
  maker.add(1, {0, 1}, "params-all-gather", 10, 10);
  const Capture capture = maker.capture();
  EXPECT_EQ(capture.diagnostics.count_of("unmatched_message"), 1U);
  EXPECT_EQ(capture.diagnostics.count_of("unmatched_collective"), 1U);
  EXPECT_EQ(capture.dag.duration(tasks_named(capture, "forward-send")[0]), kMs(10));
}

}  // namespace
}  // namespace stepsim::ingest
