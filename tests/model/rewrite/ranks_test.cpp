#include "model/rewrite/ranks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "model/base/error.h"
#include "model/rewrite/buckets.h"
#include "model/rewrite/data_parallel.h"
#include "tests/model/rewrite/data_parallel_job.h"

namespace stepsim {
namespace {

using testing::DataParallelJob;
using testing::tasks_named;

TEST(WithRanksTest, CopiesDoWhatTheirOriginalsDo) {
  const DataParallelJob two{.ranks = 2};
  const Capture original = under_models(two.capture());
  const Capture job = with_ranks(original, 5);

  EXPECT_EQ(job.recording.ranks, (std::vector<Rank>{0, 1, 2, 3, 4}));
  EXPECT_EQ(job.dag.task_count(), 5 * original.dag.task_count() / 2);
  EXPECT_EQ(job.recording.steps.size(), 5 * two.steps);
  EXPECT_EQ(job.gradients.size(), 5 * two.steps * two.gradients.size());
  for (const RecordedStep& step : job.recording.steps) EXPECT_EQ(job.dag.lane(step.first).rank, step.rank);
}

TEST(WithRanksTest, CopiesHaveTheOriginsOfTheirOriginals) {
  Capture two = DataParallelJob{.ranks = 2}.capture();
  for (std::size_t i = 0; i < two.dag.task_count(); ++i) two.recording.origin.emplace_back(i);
  const Capture four = with_ranks(two, 4);

  ASSERT_EQ(four.recording.origin.size(), four.dag.task_count());
  std::vector<std::size_t> times(two.dag.task_count(), 0);
  for (std::size_t i = 0; i < four.dag.task_count(); ++i) {
    const TaskId origin = four.recording.origin[i];
    EXPECT_EQ(four.dag.name(TaskId{i}), two.dag.name(origin));
    EXPECT_EQ(four.dag.lane(TaskId{i}).rank % 2, two.dag.lane(origin).rank);
    ++times[origin.index()];
  }
  EXPECT_EQ(times, std::vector<std::size_t>(two.dag.task_count(), 2));
}

TEST(WithRanksTest, WorkOfCopiesIsThatOfTheirOriginalsInCallsOfTheirOwn) {
  Capture two = DataParallelJob{.ranks = 2}.capture();
  two.operators.operators.resize(2);
  two.operators.uses = {{TaskId{0}, 0, 0}, {TaskId{1}, 1, 1, true}};
  two.operators.occurrences = 2;
  const Capture four = with_ranks(two, 4);

  const std::vector<OperatorTable::Use>& uses = four.operators.uses;
  const auto ranks_of = [&](TaskId task) { return two.dag.lane(task).rank; };
  ASSERT_EQ(uses.size(), 4U) << "ranks 2 and 3 are copies of 0 and 1";
  std::set<std::uint32_t> calls;
  for (const OperatorTable::Use& use : uses) {
    calls.insert(use.occurrence);
    const TaskId original{use.which};
    EXPECT_EQ(four.dag.name(use.task), two.dag.name(original));
    EXPECT_EQ(four.dag.lane(use.task).rank % 2, ranks_of(original));
    EXPECT_EQ(use.in_optimizer, use.which == 1);
  }
  EXPECT_EQ(calls.size(), uses.size());
  EXPECT_GT(four.operators.occurrences, *calls.rbegin());
}

TEST(WithRanksTest, KernelsOfCopiesAreLaunchedAsTheirOriginals) {
  Capture two = DataParallelJob{.ranks = 2}.capture();
  two.launches = {{{10, 64, 16, 0}, {20, 64, 16, 0}}, {{TaskId{0}, 0}, {TaskId{1}, 1}}};
  const Capture four = with_ranks(two, 4);

  ASSERT_EQ(four.launches.uses.size(), 4U);
  for (const LaunchTable::Use& use : four.launches.uses) {
    EXPECT_EQ(four.dag.name(use.task), two.dag.name(TaskId{use.which}));
    EXPECT_EQ(four.dag.lane(use.task).rank % 2, two.dag.lane(TaskId{use.which}).rank);
  }
}

TEST(WithRanksTest, CopiesHaveTheAnnotationsOfTheirOriginals) {
  Capture two = DataParallelJob{.ranks = 2}.capture();
  two.annotations = {{"forward", "backward"}, {{TaskId{0}, 0}, {TaskId{1}, 1}}};
  const Capture four = with_ranks(two, 4);
  ASSERT_EQ(four.annotations.uses.size(), 4U);
  for (const AnnotationTable::Use& use : four.annotations.uses)
    EXPECT_EQ(four.dag.name(use.task), two.dag.name(TaskId{use.which}));
}

TEST(WithRanksTest, CollectivesKeepTheirPayloadAndGetAPartOfEveryRank) {
  const Capture job = with_ranks(DataParallelJob{.ranks = 2}.capture(), 4);

  ASSERT_EQ(job.dag.rendezvous_count(), 4U);
  for (std::size_t i = 0; i < job.dag.rendezvous_count(); ++i) {
    EXPECT_EQ(job.dag.members(RendezvousId{i}).size(), 4U);
    EXPECT_EQ(job.dag.collective(RendezvousId{i}).bytes, Bytes{i % 2 == 0 ? 4'000'000 : 2'600'000});
  }
}

TEST(WithRanksTest, TakesJobsWithOtherBuckets) {
  // One bucket per step contains all four gradients, 6.6 MB. The two buckets that it replaces have no members.
  const Capture job = with_ranks(with_buckets(under_models(DataParallelJob{}.capture()), Bytes{100'000'000}), 4);

  std::vector<Bytes> payloads;
  for (std::size_t i = 0; i < job.dag.rendezvous_count(); ++i) {
    if (job.dag.members(RendezvousId{i}).empty()) continue;
    EXPECT_EQ(job.dag.members(RendezvousId{i}).size(), 4U);
    payloads.push_back(job.dag.collective(RendezvousId{i}).bytes);
  }
  EXPECT_EQ(payloads, (std::vector<Bytes>{Bytes{6'600'000}, Bytes{6'600'000}})) << "one a step";
}

TEST(WithRanksTest, FewerRanksAreTheFirstOnes) {
  const DataParallelJob four{.ranks = 4};
  const DataParallelJob one{.ranks = 1};
  const Capture job = with_ranks(four.capture(), 1);

  EXPECT_EQ(job.dag.task_count(), one.capture().dag.task_count());
  EXPECT_EQ(job.recording.ranks, std::vector<Rank>{0});
  EXPECT_EQ(job.recording.steps.size(), one.steps);
  EXPECT_EQ(job.gradients.size(), one.capture().gradients.size());
  EXPECT_TRUE(std::all_of(job.recording.step.begin(), job.recording.step.end(),
                          [](std::int32_t step) { return step == 0 || step == 1; }));
}

TEST(WithRanksTest, SameNumberChangesNothing) {
  const Capture before = DataParallelJob{}.capture();
  const Capture after = with_ranks(before, 2);

  ASSERT_EQ(after.dag.task_count(), before.dag.task_count());
  ASSERT_EQ(after.dag.edge_count(), before.dag.edge_count());
  for (std::size_t i = 0; i < before.dag.task_count(); ++i) {
    EXPECT_EQ(after.dag.name(TaskId{i}), before.dag.name(TaskId{i}));
    EXPECT_EQ(after.dag.duration(TaskId{i}), before.dag.duration(TaskId{i}));
    EXPECT_TRUE(std::ranges::equal(after.dag.successors(TaskId{i}), before.dag.successors(TaskId{i})));
  }
}

TEST(WithRanksTest, JobsWhoseRanksDoDifferentThingsAreRefused) {
  const Capture two = DataParallelJob{}.capture();
  EXPECT_THROW((void)with_ranks(two, 0), UsageError);
  EXPECT_THROW((void)with_ranks(two, 50'000'001), UsageError) << "as many tasks at least";

  CaptureEdit message(two);
  message.builder().collective(RendezvousId{0}).op = CollectiveOp::kSendRecv;
  EXPECT_THROW((void)with_ranks(std::move(message).finish(), 3), CannotAnswer);

  CaptureEdit alone(two);
  alone.remove(two.dag.members(RendezvousId{1}).front());
  EXPECT_THROW((void)with_ranks(std::move(alone).finish(), 3), CannotAnswer);
}

}  // namespace
}  // namespace stepsim
