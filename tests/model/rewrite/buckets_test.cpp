#include "model/rewrite/buckets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "model/base/error.h"
#include "model/job/group.h"
#include "model/rewrite/capture_edit.h"
#include "model/rewrite/data_parallel.h"
#include "tests/model/rewrite/data_parallel_job.h"

namespace stepsim {
namespace {

using testing::DataParallelJob;
using ::testing::ElementsAre;
using testing::has_edge;
using testing::tasks_named;

TEST(BucketsOfTest, BucketClosesWhenItsBytesReachTheBound) {
  const std::vector<Bytes> gradients{Bytes{40}, Bytes{60}, Bytes{300}, Bytes{10}, Bytes{20}};

  EXPECT_THAT(buckets_of(gradients, Bytes{100}),
              ElementsAre(Bucket{1, Bytes{100}}, Bucket{2, Bytes{300}}, Bucket{4, Bytes{30}}));
  EXPECT_THAT(buckets_of(gradients, Bytes{101}), ElementsAre(Bucket{2, Bytes{400}}, Bucket{4, Bytes{30}}));
  EXPECT_THAT(buckets_of(gradients, Bytes{1000}), ElementsAre(Bucket{4, Bytes{430}}));
}

TEST(BucketsOfTest, BoundOfNothingGivesEveryGradientItsBucket) {
  const std::vector<Bytes> gradients{Bytes{40}, Bytes{0}, Bytes{1}};

  EXPECT_EQ(buckets_of(gradients, Bytes{0}).size(), 3U);
  EXPECT_TRUE(buckets_of({}, Bytes{100}).empty());
}

/// Returns the payloads of the all-reduces of a step on rank 0, in the order of their gradients.
std::vector<Bytes> payloads(const Capture& capture, std::size_t step) {
  std::vector<Bytes> bytes;
  for (const TaskId task : tasks_named(capture.dag, "gloo:all_reduce")) {
    if (capture.dag.lane(task).rank == 0 && capture.recording.step[task.index()] == static_cast<std::int32_t>(step))
      bytes.push_back(capture.dag.collective(capture.dag.rendezvous(task)).bytes);
  }
  return bytes;
}

TEST(WithBucketsTest, EveryStepReducesTheNewBuckets) {
  const Capture job = with_buckets(under_models(DataParallelJob{.ranks = 3}.capture()), Bytes{3'000'000});

  // A bucket ends with the gradient with which it reaches 3 MB. So the first bucket has 1 + 3 MB, and the second, which
  // stays below 3 MB, has the other 2 + 0.6 MB.
  EXPECT_THAT(payloads(job, 0), ElementsAre(Bytes{4'000'000}, Bytes{2'600'000}));
  EXPECT_THAT(payloads(job, 1), ElementsAre(Bytes{4'000'000}, Bytes{2'600'000}));
  const Capture all = with_buckets(job, Bytes{100'000'000});
  EXPECT_THAT(payloads(all, 0), ElementsAre(Bytes{6'600'000}));
  EXPECT_EQ(all.dag.members(all.dag.rendezvous(tasks_named(all.dag, "gloo:all_reduce").front())).size(), 3U);
}

TEST(WithBucketsTest, RanksMayReachTheirReductionsInAnyOrder) {
  Capture captured = DataParallelJob{.steps = 1}.capture();
  // Rank 1 is late for the first all-reduce and early for the second.
  for (const TaskId task : captured.dag.tasks()) {
    if (captured.dag.lane(task).rank != 1) continue;
    Recording& recording = captured.recording;
    const Duration shift{recording.start[task.index()] < Time{Duration{25'000'000}} ? 1 : -1};
    recording.start[task.index()] += shift;
    recording.finish[task.index()] += shift;
  }
  const Capture job = with_buckets(under_models(std::move(captured)), Bytes{100'000'000});
  EXPECT_THAT(payloads(job, 0), ElementsAre(Bytes{6'600'000}));
}

TEST(WithBucketsTest, BucketFollowsItsLastGradientAndTheOptimizerAllBuckets) {
  const Capture job = with_buckets(under_models(DataParallelJob{.ranks = 1, .steps = 1}.capture()), Bytes{1});

  const std::vector<TaskId> gradients = tasks_named(job.dag, "backward");
  const std::vector<TaskId> reductions = tasks_named(job.dag, "gloo:all_reduce");
  const TaskId optimizer = tasks_named(job.dag, "optimizer").front();
  ASSERT_EQ(reductions.size(), gradients.size());
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    EXPECT_TRUE(has_edge(job.dag, gradients[i], reductions[i]));
    EXPECT_TRUE(has_edge(job.dag, reductions[i], optimizer));
    EXPECT_EQ(job.dag.lane(reductions[i]).order, LaneOrder::kFifo);
  }
}

TEST(WithBucketsTest, CaptureWithoutGradientsIsRefused) {
  Capture job = DataParallelJob{}.capture();
  job.gradients.clear();

  EXPECT_THROW((void)with_buckets(under_models(std::move(job)), Bytes{100}), CannotAnswer);
}

TEST(WithBucketsTest, ReductionsKeepTheirGroup) {
  CaptureEdit edit(DataParallelJob{.ranks = 1}.capture());
  const GroupId group = edit.builder().add_group({.size = 4, .ranks = {0, 1, 2, 3}});
  for (std::size_t i = 0; i < edit.builder().rendezvous_count(); ++i)
    edit.builder().collective(RendezvousId{i}).group = group;
  const Capture job = with_buckets(under_models(std::move(edit).finish()), Bytes{1'000'000});
  for (const RendezvousId rendezvous : job.dag.all_rendezvous()) EXPECT_EQ(group_size(job.dag, rendezvous), 4U);
}

TEST(WithBucketsTest, ReductionsThatAreNotTheGradientsAreLeftAlone) {
  Capture job = DataParallelJob{}.capture();
  job.gradients.front().bytes += Bytes{4};

  const Capture changed = with_buckets(under_models(std::move(job)), Bytes{100'000'000});

  EXPECT_EQ(payloads(changed, 0).size(), 2U) << "the first step's gradients do not fill its buckets";
  EXPECT_EQ(payloads(changed, 1).size(), 1U);
}

}  // namespace
}  // namespace stepsim
