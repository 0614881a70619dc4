#include "model/rewrite/buckets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "model/base/error.h"
#include "model/rewrite/capture_edit.h"
#include "tests/model/rewrite/data_parallel_job.h"

namespace stepsim {
namespace {

using testing::DeviceDataParallelJob;
using ::testing::ElementsAre;
using testing::has_edge;
using testing::tasks_named;

/// Returns the payloads of a step's all-reduces on rank 0, in the order of their stream.
std::vector<Bytes> payloads(const Capture& capture, std::int32_t step = 0) {
  std::vector<Bytes> bytes;
  for (const TaskId task : tasks_named(capture.dag, "ncclKernel_AllReduce")) {
    if (capture.dag.lane(task).rank == 0 && capture.recording.step[task.index()] == step)
      bytes.push_back(capture.dag.collective(capture.dag.rendezvous(task)).bytes);
  }
  return bytes;
}

TEST(DeviceBucketsTest, EveryStepReducesTheNewBuckets) {
  const DeviceDataParallelJob job{.ranks = 3};
  const Capture all = with_device_buckets(job.capture(), Bytes{100'000'000});
  for (std::int32_t step = 0; step < 3; ++step) EXPECT_THAT(payloads(all, step), ElementsAre(Bytes{6'600'000}));
  EXPECT_EQ(all.dag.members(all.dag.rendezvous(tasks_named(all.dag, "ncclKernel_AllReduce").front())).size(), 3U);
  EXPECT_THAT(payloads(with_device_buckets(job.capture(), Bytes{1})),
              ElementsAre(Bytes{2'000'000}, Bytes{2'000'000}, Bytes{2'000'000}, Bytes{600'000}));
}

TEST(DeviceBucketsTest, ReductionFollowsItsLastGradientAndTheOptimizerAllReductions) {
  const Capture job = with_device_buckets(DeviceDataParallelJob{.ranks = 1, .steps = 1}.capture(), Bytes{1});
  const std::vector<TaskId> gradients = tasks_named(job.dag, "gradient");
  const std::vector<TaskId> reductions = tasks_named(job.dag, "ncclKernel_AllReduce");
  ASSERT_EQ(reductions.size(), gradients.size());
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    EXPECT_TRUE(has_edge(job.dag, gradients[i], reductions[i]));
    EXPECT_TRUE(i == 0 || has_edge(job.dag, reductions[i - 1], reductions[i]));
  }
  EXPECT_TRUE(has_edge(job.dag, reductions.back(), tasks_named(job.dag, "optimizer").front()));
}

TEST(DeviceBucketsTest, TheCapturedBucketsChangeNothing) {
  const Capture captured = DeviceDataParallelJob{}.capture();
  // A bucket ends when it reaches the bound of 4 MB, so the first has 2 + 2 MB and the last 2 + 0.6 MB, as captured.
  const Capture same = with_device_buckets(captured, Bytes{4'000'000});
  EXPECT_EQ(same.dag.task_count(), captured.dag.task_count());
  EXPECT_EQ(same.dag.edge_count(), captured.dag.edge_count());
  EXPECT_EQ(payloads(same), payloads(captured));
}

TEST(DeviceBucketsTest, AFirstBucketOfOneMebibyteStaysOne) {
  // The captured job has the defaults of DistributedDataParallel: the first bucket ends at 1 MiB, the others at 25 MiB.
  const DeviceDataParallelJob job{
      .gradients = {Bytes{600'000}, Bytes{600'000}, Bytes{20'000'000}, Bytes{10'000'000}, Bytes{4'000'000}},
      .buckets = {1, 3, 4}};
  EXPECT_THAT(payloads(with_device_buckets(job.capture(), Bytes{100'000'000})),
              ElementsAre(Bytes{1'200'000}, Bytes{34'000'000}));
  EXPECT_THAT(payloads(with_device_buckets(job.capture(), Bytes{600'000})),
              ElementsAre(Bytes{600'000}, Bytes{600'000}, Bytes{20'000'000}, Bytes{10'000'000}, Bytes{4'000'000}));
}

TEST(DeviceBucketsTest, WithoutShapesTheCopiesTellTheSizes) {
  const DeviceDataParallelJob job{.shapes = false};
  EXPECT_THAT(payloads(with_device_buckets(job.capture(), Bytes{1})),
              ElementsAre(Bytes{2'000'000}, Bytes{2'000'000}, Bytes{2'000'000}, Bytes{600'000}));
}

TEST(DeviceBucketsTest, CallsThatAreNoLongerMadeTakeNoTime) {
  const auto on_thread = [](const Capture& capture) {
    Duration sum{};
    for (std::size_t i = 0; i < capture.dag.task_count(); ++i) {
      if (capture.dag.lane(TaskId{i}).kind == LaneKind::kThread) sum += capture.dag.duration(TaskId{i});
    }
    return sum;
  };
  const Capture captured = DeviceDataParallelJob{.ranks = 1, .steps = 1}.capture();
  // Launching an all-reduce takes 3 calls of 10 us. One bucket needs one launch less than the captured two buckets, and
  // four buckets need two more.
  EXPECT_EQ(on_thread(captured) - on_thread(with_device_buckets(captured, Bytes{100'000'000})), Duration{30'000});
  EXPECT_EQ(on_thread(with_device_buckets(captured, Bytes{1})) - on_thread(captured), Duration{60'000});
}

TEST(DeviceBucketsTest, ReductionsThatAreNotOfGradientsStay) {
  Capture job = DeviceDataParallelJob{.ranks = 1, .steps = 1}.capture();
  job.gradients.back().bytes += Bytes{4};
  EXPECT_THAT(payloads(with_device_buckets(job, Bytes{1})),
              ElementsAre(Bytes{2'000'000}, Bytes{2'000'000}, Bytes{2'600'000}));
}

TEST(DeviceBucketsTest, ReductionsStayIfARankDoesNotShowItsGradients) {
  Capture job = DeviceDataParallelJob{}.capture();
  std::erase_if(job.gradients, [&](const Gradient& gradient) { return job.dag.lane(gradient.ready).rank == 1; });
  EXPECT_THROW((void)with_device_buckets(job, Bytes{1}), CannotAnswer);
}

TEST(DeviceBucketsTest, TheCapturedBucketsAreTold) {
  const auto found = captured_device_buckets(DeviceDataParallelJob{.shapes = false}.capture());
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->gradients, 4U);
  EXPECT_THAT(found->sizes, ElementsAre(Bytes{4'000'000}, Bytes{2'600'000}));
  EXPECT_FALSE(found->by_shapes);
  EXPECT_FALSE(found->first_is_smaller);
  EXPECT_FALSE(captured_device_buckets(testing::DataParallelJob{}.capture()).has_value());
}

TEST(DeviceBucketsTest, ABucketAmongTheGradientsOfAnotherIsOfAnotherReducer) {
  // The second gradient is reduced alone; the first is reduced with the third and fourth.
  DeviceDataParallelJob job{.ranks = 1, .steps = 1, .buckets = {1, 3}};
  Capture capture = job.capture();
  const std::vector<TaskId> reductions = tasks_named(capture.dag, "ncclKernel_AllReduce");
  CaptureEdit edit(capture);
  edit.builder().collective(capture.dag.rendezvous(reductions[0])).bytes = Bytes{2'000'000};
  edit.builder().collective(capture.dag.rendezvous(reductions[1])).bytes = Bytes{4'600'000};
  EXPECT_THAT(payloads(with_device_buckets(std::move(edit).finish(), Bytes{2'000'000})),
              ElementsAre(Bytes{2'000'000}, Bytes{2'000'000}, Bytes{2'000'000}, Bytes{600'000}));
}

TEST(DeviceBucketsTest, NoByteIsLostWhateverTheBuckets) {
  std::mt19937 generator(7);
  const auto between = [&generator](std::size_t least, std::size_t most) {
    return std::uniform_int_distribution<std::size_t>(least, most)(generator);
  };
  for (int i = 0; i < 50; ++i) {
    DeviceDataParallelJob job{.ranks = between(1, 3), .steps = 2, .gradients = {}, .buckets = {}, .shapes = i % 2 == 0};
    Bytes all{};
    for (std::size_t gradients = between(2, 12); gradients > 0; --gradients) {
      job.gradients.emplace_back(static_cast<std::int64_t>(between(1, 3000)) * DeviceDataParallelJob::kBlock);
      all += job.gradients.back();
      if (between(0, 2) == 0) job.buckets.push_back(job.gradients.size() - 1);
    }
    if (job.buckets.empty() || job.buckets.back() + 1 < job.gradients.size())
      job.buckets.push_back(job.gradients.size() - 1);
    const Bytes bound{static_cast<std::int64_t>(between(1, 20'000'000))};
    const Capture changed = with_device_buckets(job.capture(), bound);
    for (std::int32_t step = 0; step < 2; ++step) {
      Bytes sum{};
      const std::vector<Bytes> reduced = payloads(changed, step);
      for (const Bytes bytes : reduced) sum += bytes;
      EXPECT_EQ(sum, all) << "job " << i;
      for (std::size_t k = 1; k + 1 < reduced.size(); ++k) EXPECT_GE(reduced[k], bound) << "job " << i;
    }
  }
}

TEST(DeviceBucketsTest, CaptureWithoutGradientsOrSizesIsRefused) {
  Capture job = DeviceDataParallelJob{}.capture();
  job.gradients.clear();
  EXPECT_THROW((void)with_device_buckets(job, Bytes{100}), CannotAnswer);
  Capture unsized_job = DeviceDataParallelJob{.shapes = false}.capture();
  unsized_job.launches = {};
  EXPECT_THROW((void)with_device_buckets(unsized_job, Bytes{100}), CannotAnswer);
}

}  // namespace
}  // namespace stepsim
