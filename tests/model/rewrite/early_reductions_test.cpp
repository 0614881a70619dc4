#include "model/rewrite/early_reductions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/model/rewrite/data_parallel_job.h"

namespace stepsim {
namespace {

using testing::DeviceDataParallelJob;
using ::testing::ElementsAre;
using testing::has_edge;
using testing::tasks_named;

const DeviceDataParallelJob kLate{.ranks = 1, .steps = 1, .buckets = {0, 1, 2, 3}, .late = true};

/// Returns the all-reduces of the first step of rank 0 by payload in KB, in the order of their stream.
std::vector<std::int64_t> order_of(const Capture& capture) {
  std::vector<TaskId> reductions = tasks_named(capture.dag, "ncclKernel_AllReduce");
  std::vector<std::int64_t> order;
  std::erase_if(reductions, [&](TaskId task) {
    return capture.dag.lane(task).rank != 0 || capture.recording.step[task.index()] != 0;
  });
  const auto next = [&](TaskId task) {
    return std::find_if(reductions.begin(), reductions.end(),
                        [&](TaskId other) { return has_edge(capture.dag, task, other); });
  };
  auto first = std::find_if(reductions.begin(), reductions.end(), [&](TaskId task) {
    return std::none_of(reductions.begin(), reductions.end(),
                        [&](TaskId other) { return has_edge(capture.dag, other, task); });
  });
  for (; first != reductions.end(); first = next(*first))
    order.push_back(capture.dag.collective(capture.dag.rendezvous(*first)).bytes.count() / 1000);
  return order;
}

TEST(EarlyReductionsTest, EachWaitsForTheKernelOfItsGradient) {
  const Capture job = with_early_reductions(kLate.capture());
  EXPECT_THAT(order_of(kLate.capture()), ElementsAre(600, 2000, 2000, 2000));
  EXPECT_THAT(order_of(job), ElementsAre(2000, 2000, 2000, 600));
  const std::vector<TaskId> gradients = tasks_named(job.dag, "gradient");
  for (const TaskId reduction : tasks_named(job.dag, "ncclKernel_AllReduce")) {
    const bool is_last = job.dag.collective(job.dag.rendezvous(reduction)).bytes == Bytes{600'000};
    EXPECT_EQ(has_edge(job.dag, gradients.back(), reduction), is_last);
    EXPECT_TRUE(has_edge(job.dag, reduction, tasks_named(job.dag, "optimizer").front()));
  }
}

TEST(EarlyReductionsTest, TheCallMovesToTheBackwardPass) {
  const Capture job = with_early_reductions(kLate.capture());
  Duration spent{};
  for (const TaskId call : tasks_named(job.dag, "launch of a reduction")) spent += job.dag.duration(call);
  EXPECT_EQ(spent, 4 * Duration{30'000});  // as captured: a launch of 10 us between two parts of 10 us
  for (const TaskId call : tasks_named(job.dag, "c10d::allreduce_")) EXPECT_EQ(job.dag.duration(call), Duration{});
}

TEST(EarlyReductionsTest, ReductionsOfSeveralGradientsFollowTheLastOne) {
  DeviceDataParallelJob late = kLate;
  late.buckets = {1, 3};
  EXPECT_THAT(order_of(with_early_reductions(late.capture())), ElementsAre(4000, 2600));
}

TEST(EarlyReductionsTest, WithoutSizesTheOrderDecidesIfTheNumbersAgree) {
  DeviceDataParallelJob late = kLate;
  late.shapes = false;
  const ReductionStarts starts = reduction_starts(late.capture());
  EXPECT_EQ(starts.movable, 4U);
  EXPECT_TRUE(starts.by_order);
  EXPECT_THAT(order_of(with_early_reductions(late.capture())), ElementsAre(600, 2000, 2000, 2000));
  late.buckets = {1, 3};
  EXPECT_EQ(reduction_starts(late.capture()).unknown, 2U);
}

TEST(EarlyReductionsTest, TheFirstStaysFirstIfItWaitsForOtherRanks) {
  DeviceDataParallelJob late = kLate;
  late.group = 4;
  EXPECT_THAT(order_of(with_early_reductions(late.capture())), ElementsAre(2000, 2000, 2000, 600));
  late.wait = Duration{20'000'000};
  EXPECT_THAT(order_of(with_early_reductions(late.capture())), ElementsAre(600, 2000, 2000, 2000));
}

TEST(EarlyReductionsTest, OthersKeepTheirPlace) {
  DeviceDataParallelJob packed = kLate;
  packed.packed = true;
  const Capture captured = packed.capture();
  EXPECT_EQ(reduction_starts(captured).packed, 4U);
  EXPECT_EQ(reduction_starts(captured).movable, 0U);
  const Capture same = with_early_reductions(captured);
  EXPECT_EQ(same.dag.task_count(), captured.dag.task_count());
  EXPECT_EQ(same.dag.edge_count(), captured.dag.edge_count());

  const ReductionStarts hooks = reduction_starts(DeviceDataParallelJob{.ranks = 1, .steps = 1}.capture());
  EXPECT_EQ(hooks.during, 2U);
  EXPECT_EQ(hooks.movable + hooks.packed + hooks.unknown, 0U);
}

}  // namespace
}  // namespace stepsim
