#include "model/rewrite/ranks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "model/base/error.h"
#include "model/job/group.h"
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
  const Capture job = with_ranks(original, 5, every_rank);

  EXPECT_EQ(job.recording.ranks, (std::vector<Rank>{0, 1, 2, 3, 4}));
  EXPECT_EQ(job.dag.task_count(), 5 * original.dag.task_count() / 2);
  EXPECT_EQ(job.recording.steps.size(), 5 * two.steps);
  EXPECT_EQ(job.gradients.size(), 5 * two.steps * two.gradients.size());
  for (const RecordedStep& step : job.recording.steps) EXPECT_EQ(job.dag.lane(step.first).rank, step.rank);
}

TEST(WithRanksTest, CopiesHaveTheOriginsOfTheirOriginals) {
  Capture two = DataParallelJob{.ranks = 2}.capture();
  for (std::size_t i = 0; i < two.dag.task_count(); ++i) two.recording.origin.emplace_back(i);
  const Capture four = with_ranks(two, 4, every_rank);

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
  const Capture four = with_ranks(two, 4, every_rank);

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

TEST(WithRanksTest, CopiesPauseAsTheirOriginals) {
  Capture two = DataParallelJob{.ranks = 2}.capture();
  two.recording.pauses = {{TaskId{0}, Duration{3}}, {TaskId{1}, Duration{5}}};
  const Capture four = with_ranks(two, 4, every_rank);

  ASSERT_EQ(four.recording.pauses.size(), 4U);
  for (const Recording::Pause& pause : four.recording.pauses) {
    const TaskId original{pause.excess == Duration{3} ? 0U : 1U};
    EXPECT_EQ(four.dag.name(pause.task), two.dag.name(original));
    EXPECT_EQ(four.dag.lane(pause.task).rank % 2, two.dag.lane(original).rank);
  }
}

TEST(WithRanksTest, KernelsOfCopiesAreLaunchedAsTheirOriginals) {
  Capture two = DataParallelJob{.ranks = 2}.capture();
  two.launches = {{{10, 64, 16, 0}, {20, 64, 16, 0}}, {{TaskId{0}, 0}, {TaskId{1}, 1}}};
  const Capture four = with_ranks(two, 4, every_rank);

  ASSERT_EQ(four.launches.uses.size(), 4U);
  for (const LaunchTable::Use& use : four.launches.uses) {
    EXPECT_EQ(four.dag.name(use.task), two.dag.name(TaskId{use.which}));
    EXPECT_EQ(four.dag.lane(use.task).rank % 2, two.dag.lane(TaskId{use.which}).rank);
  }
}

TEST(WithRanksTest, CopiesHaveTheAnnotationsOfTheirOriginals) {
  Capture two = DataParallelJob{.ranks = 2}.capture();
  two.annotations = {{"forward", "backward"}, {{TaskId{0}, 0}, {TaskId{1}, 1}}};
  const Capture four = with_ranks(two, 4, every_rank);
  ASSERT_EQ(four.annotations.uses.size(), 4U);
  for (const AnnotationTable::Use& use : four.annotations.uses)
    EXPECT_EQ(four.dag.name(use.task), two.dag.name(TaskId{use.which}));
}

TEST(WithRanksTest, CollectivesKeepTheirPayloadAndGetAPartOfEveryRank) {
  const Capture job = with_ranks(DataParallelJob{.ranks = 2}.capture(), 4, every_rank);

  ASSERT_EQ(job.dag.rendezvous_count(), 4U);
  for (std::size_t i = 0; i < job.dag.rendezvous_count(); ++i) {
    EXPECT_EQ(job.dag.members(RendezvousId{i}).size(), 4U);
    EXPECT_EQ(job.dag.collective(RendezvousId{i}).bytes, Bytes{i % 2 == 0 ? 4'000'000 : 2'600'000});
  }
}

TEST(WithRanksTest, TakesJobsWithOtherBuckets) {
  // One bucket per step contains all four gradients, 6.6 MB. The two buckets that it replaces have no members.
  const Capture job =
      with_ranks(with_buckets(under_models(DataParallelJob{}.capture()), Bytes{100'000'000}), 4, every_rank);

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
  const Capture job = with_ranks(four.capture(), 1, every_rank);

  EXPECT_EQ(job.dag.task_count(), one.capture().dag.task_count());
  EXPECT_EQ(job.recording.ranks, std::vector<Rank>{0});
  EXPECT_EQ(job.recording.steps.size(), one.steps);
  EXPECT_EQ(job.gradients.size(), one.capture().gradients.size());
  EXPECT_TRUE(std::all_of(job.recording.step.begin(), job.recording.step.end(),
                          [](std::int32_t step) { return step == 0 || step == 1; }));
}

TEST(WithRanksTest, CopiesHaveNoTasksUnlessTheyDiffer) {
  const Capture two = under_models(DataParallelJob{.ranks = 2}.capture());
  const auto copies = [](const Capture& job) { return job.dag.groups().front().copy_of; };

  const Capture none = with_ranks(two, 5, [](Rank) { return false; });
  EXPECT_EQ(none.recording.ranks, (std::vector<Rank>{0, 1}));
  EXPECT_EQ(copies(none), (std::vector<std::uint32_t>{0, 1, 0, 1, 0}));
  EXPECT_EQ(none.dag.task_count(), two.dag.task_count());
  for (const RendezvousId rendezvous : none.dag.all_rendezvous()) {
    EXPECT_EQ(group_size(none.dag, rendezvous), 5U);
    EXPECT_TRUE(is_whole(none.dag, rendezvous));
  }

  const Capture third = with_ranks(two, 5, [](Rank rank) { return rank == 3; });
  EXPECT_EQ(third.recording.ranks, (std::vector<Rank>{0, 1, 3}));
  EXPECT_EQ(copies(third), (std::vector<std::uint32_t>{0, 1, 0, 3, 0}));

  const Capture first = with_ranks(two, 5, [](Rank rank) { return rank == 0; });
  EXPECT_EQ(first.recording.ranks, (std::vector<Rank>{0, 1, 2})) << "rank 2 has the tasks of the copies of rank 0";
  EXPECT_EQ(copies(first), (std::vector<std::uint32_t>{0, 1, 2, 1, 2}));

  EXPECT_TRUE(copies(with_ranks(two, 5, every_rank)).empty());
}

TEST(WithRanksTest, CopiesInACaptureCountAsCaptured) {
  const Capture two = under_models(DataParallelJob{.ranks = 2}.capture());
  const Capture five = with_ranks(two, 5, [](Rank) { return false; });
  const auto expect_equal = [](const Capture& a, const Capture& b) {
    EXPECT_EQ(a.recording.ranks, b.recording.ranks);
    EXPECT_EQ(a.dag.task_count(), b.dag.task_count());
    EXPECT_EQ(a.dag.edge_count(), b.dag.edge_count());
    EXPECT_EQ(a.recording.steps.size(), b.recording.steps.size());
    EXPECT_EQ(a.dag.groups(), b.dag.groups());
  };

  expect_equal(with_ranks(five, 5, every_rank), with_ranks(two, 5, every_rank));
  expect_equal(with_ranks(five, 5, [](Rank rank) { return rank == 3; }),
               with_ranks(two, 5, [](Rank rank) { return rank == 3; }));
  expect_equal(with_ranks(five, 3, every_rank), with_ranks(two, 3, every_rank));
  const Capture seven = with_ranks(five, 7, [](Rank) { return false; });
  EXPECT_EQ(seven.dag.groups().front().copy_of, (std::vector<std::uint32_t>{0, 1, 0, 1, 0, 0, 1}))
      << "the captured ranks in turn: the sixth is like the first, not like the fourth";
}

TEST(WithRanksTest, SameNumberChangesNothing) {
  const Capture before = DataParallelJob{}.capture();
  const Capture after = with_ranks(before, 2, every_rank);

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
  EXPECT_THROW((void)with_ranks(two, 0, every_rank), UsageError);
  EXPECT_THROW((void)with_ranks(two, 50'000'001, every_rank), UsageError) << "as many tasks at least";

  CaptureEdit message(two);
  message.builder().collective(RendezvousId{0}).op = CollectiveOp::kSendRecv;
  EXPECT_THROW((void)with_ranks(std::move(message).finish(), 3, every_rank), CannotAnswer);

  CaptureEdit alone(two);
  alone.remove(two.dag.members(RendezvousId{1}).front());
  EXPECT_THROW((void)with_ranks(std::move(alone).finish(), 3, every_rank), CannotAnswer);
}

}  // namespace
}  // namespace stepsim
