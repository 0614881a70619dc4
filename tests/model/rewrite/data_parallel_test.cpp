#include "model/rewrite/data_parallel.h"

#include <gtest/gtest.h>

#include <utility>

#include "tests/model/rewrite/data_parallel_job.h"

namespace stepsim {
namespace {

using testing::DataParallelJob;
using testing::has_edge;
using testing::tasks_named;

TEST(UnderModelsTest, ThreadsThatOnlyCarryCollectivesBecomeOnePoolARank) {
  const Capture job = under_models(DataParallelJob{}.capture());

  for (const TaskId task : tasks_named(job.dag, "gloo:all_reduce")) {
    const Lane& lane = job.dag.lane(task);
    EXPECT_EQ(lane.order, LaneOrder::kFifo);
    EXPECT_EQ(lane.capacity, 2U);
    for (const TaskId next : job.dag.successors(task)) EXPECT_NE(job.dag.kind(next), TaskKind::kCollective);
  }
  for (const TaskId task : tasks_named(job.dag, "backward")) EXPECT_EQ(job.dag.lane(task).order, LaneOrder::kEdges);
}

/// Returns the order of the lane of the first all-reduce if its thread also has other work of this length.
LaneOrder order_with_work(Duration length) {
  const Capture captured = DataParallelJob{.ranks = 1}.capture();
  CaptureEdit edit(captured);
  const LaneId thread = captured.dag.lane_id(tasks_named(captured.dag, "gloo:all_reduce").front());
  edit.add_task({.name = edit.builder().intern("work"), .lane = thread, .duration = length}, -1);
  const Capture job = under_models(std::move(edit).finish());
  return job.dag.lane(tasks_named(job.dag, "gloo:all_reduce").front()).order;
}

TEST(UnderModelsTest, ThreadsWithOtherWorkKeepTheirCollectives) {
  EXPECT_EQ(order_with_work(Duration{1'000}), LaneOrder::kFifo) << "the thread only hands over a collective";
  EXPECT_EQ(order_with_work(Duration{1'000'000}), LaneOrder::kEdges);
}

TEST(UnderModelsTest, WhoWaitsForACollectiveWaitsForThoseBeforeIt) {
  const Capture job = under_models(DataParallelJob{.ranks = 1}.capture());

  const std::vector<TaskId> reductions = tasks_named(job.dag, "gloo:all_reduce");
  const std::vector<TaskId> optimizers = tasks_named(job.dag, "optimizer");
  ASSERT_EQ(reductions.size(), 4U);
  ASSERT_EQ(optimizers.size(), 2U);
  for (std::size_t i = 0; i < reductions.size(); ++i) {
    EXPECT_TRUE(has_edge(job.dag, reductions[i], optimizers[i / 2])) << "all-reduce " << i;
    EXPECT_FALSE(has_edge(job.dag, reductions[i], optimizers[1 - i / 2])) << "all-reduce " << i;
  }
}

TEST(UnderModelsTest, NextStepWaitsForWhatNobodyWaitedFor) {
  const DataParallelJob one{.ranks = 1};
  CaptureEdit edit(one.capture());
  const std::vector<TaskId> optimizers = tasks_named(one.capture().dag, "optimizer");
  std::erase_if(edit.builder().edges(), [&](const DagBuilder::Edge& edge) {
    return edge.to == optimizers.front() && edge.kind == EdgeKind::kHandOff;
  });
  const Capture job = under_models(std::move(edit).finish());

  const std::vector<TaskId> reductions = tasks_named(job.dag, "gloo:all_reduce");
  const TaskId next_step = job.recording.steps[1].first;
  EXPECT_TRUE(has_edge(job.dag, reductions[0], next_step));
  EXPECT_TRUE(has_edge(job.dag, reductions[1], next_step));
  EXPECT_FALSE(has_edge(job.dag, reductions[2], next_step));
}

TEST(UnderModelsTest, RecordedTimesAndStepsStayWithTheirTasks) {
  const Capture recorded = DataParallelJob{}.capture();
  const Capture job = under_models(recorded);

  const std::size_t submissions = tasks_named(recorded.dag, "gloo:all_reduce").size();
  ASSERT_EQ(job.dag.task_count(), recorded.dag.task_count() + submissions);
  for (const char* const name : {"backward", "gloo:all_reduce", "optimizer"}) {
    const std::vector<TaskId> before = tasks_named(recorded.dag, name);
    const std::vector<TaskId> after = tasks_named(job.dag, name);
    for (std::size_t i = 0; i < before.size(); ++i) {
      EXPECT_EQ(job.recording.start[after[i].index()], recorded.recording.start[before[i].index()]);
      EXPECT_EQ(job.recording.finish[after[i].index()], recorded.recording.finish[before[i].index()]);
      EXPECT_EQ(job.recording.step[after[i].index()], recorded.recording.step[before[i].index()]);
    }
  }
}

TEST(UnderModelsTest, CollectiveNobodySubmittedStaysBehindTheOneBeforeIt) {
  CaptureEdit edit(DataParallelJob{.ranks = 1}.capture());
  std::erase_if(edit.builder().edges(), [](const DagBuilder::Edge& edge) { return edge.kind == EdgeKind::kHandOff; });
  const Capture job = under_models(std::move(edit).finish());

  const std::vector<TaskId> reductions = tasks_named(job.dag, "gloo:all_reduce");
  const std::vector<TaskId> submissions = tasks_named(job.dag, "submitted");
  EXPECT_TRUE(has_edge(job.dag, reductions[0], submissions[2])) << "both were on the first thread";
  EXPECT_TRUE(has_edge(job.dag, submissions[2], reductions[2]));
}

TEST(UnderModelsTest, CollectivesAreSubmittedOneAfterTheOther) {
  const Capture job = under_models(DataParallelJob{.ranks = 1}.capture());

  const std::vector<TaskId> reductions = tasks_named(job.dag, "gloo:all_reduce");
  const std::vector<TaskId> submissions = tasks_named(job.dag, "submitted");
  ASSERT_EQ(submissions.size(), reductions.size());
  for (std::size_t i = 0; i < submissions.size(); ++i) {
    EXPECT_EQ(job.dag.duration(submissions[i]), Duration{});
    EXPECT_TRUE(has_edge(job.dag, submissions[i], reductions[i])) << "all-reduce " << i;
    EXPECT_TRUE(i == 0 || has_edge(job.dag, submissions[i - 1], submissions[i])) << "all-reduce " << i;
  }
}

TEST(UnderModelsTest, OtherCapturesStayAsTheyAre) {
  const Capture nothing = under_models(Capture{});
  EXPECT_EQ(nothing.dag.task_count(), 0U);

  Capture unrecorded = DataParallelJob{}.capture();
  unrecorded.recording.start.clear();
  const std::size_t lanes = unrecorded.dag.lanes().size();
  EXPECT_EQ(under_models(std::move(unrecorded)).dag.lanes().size(), lanes);
}

}  // namespace
}  // namespace stepsim
