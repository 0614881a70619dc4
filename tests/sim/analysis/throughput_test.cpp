#include "sim/report/throughput.h"

#include <gtest/gtest.h>

#include "tests/sim/dag_maker.h"

namespace stepsim::sim {
namespace {

using std::chrono::milliseconds;
using testing::DagMaker;

constexpr StepWork kWork{.workers = 4, .devices = 2, .batches = 1, .batch_size = 64};

TEST(ThroughputTest, OfAllIsThatOfADeviceTimesTheirNumber) {
  // 4 workers process 64 samples each in half a second, on 4 x 2 devices.
  EXPECT_DOUBLE_EQ(rate_in_all(kWork, milliseconds{500}), 512);
  EXPECT_DOUBLE_EQ(rate_of_device(kWork, milliseconds{500}), 64);
  EXPECT_EQ(unit_of(kWork), "samples/s");
}

TEST(ThroughputTest, WithoutABatchSizeIsInBatches) {
  const StepWork work{.workers = 4, .devices = 1, .batches = 0.5, .batch_size = {}};
  EXPECT_DOUBLE_EQ(rate_in_all(work, milliseconds{500}), 4);
  EXPECT_EQ(unit_of(work), "batches/s");
}

TEST(ThroughputTest, EfficiencyIsADevicesRateOverItsRateElsewhere) {
  StepWork more = kWork;
  more.workers = 64;
  EXPECT_DOUBLE_EQ(efficiency(more, milliseconds{625}, kWork, milliseconds{500}), 0.8);
  more.batches = 0.5;
  EXPECT_DOUBLE_EQ(efficiency(more, milliseconds{250}, kWork, milliseconds{500}), 1);
}

TEST(ThroughputTest, AnIterationWithoutTimeHasNone) {
  EXPECT_EQ(rate_in_all(kWork, Duration{}), 0);
  EXPECT_EQ(efficiency(kWork, milliseconds{500}, kWork, Duration{}), 0);
}

TEST(ThroughputTest, HasFourDigitsInGroups) {
  EXPECT_EQ(rate_text(1234567.8), "1,234,568");
  EXPECT_EQ(rate_text(61.524), "61.52");
  EXPECT_EQ(rate_text(0.0045123), "0.004512");
}

TEST(CapturedWorkTest, CountsRanksThatOnlyTakePartInCollectives) {
  DagMaker maker;
  const TaskId part = maker.task(maker.lane(0), 10, {}, "nccl:all_reduce", TaskKind::kCollective);
  const GroupId group = maker.builder.add_group({.size = 8});
  maker.builder.join(maker.builder.add_rendezvous({.op = CollectiveOp::kAllReduce, .group = group}), part);
  Capture capture;
  capture.dag = maker.build();
  capture.recording.ranks = {0};
  EXPECT_EQ(captured_work(capture).workers, 8U);
  capture.job.local_size = 4;
  EXPECT_EQ(captured_work(capture).workers, 2U);
  capture.job.workers = 3;
  EXPECT_EQ(captured_work(capture).workers, 3U);
}

TEST(CapturedWorkTest, RanksThatShareABatchAreOneWorker) {
  Capture capture;
  for (Rank rank = 0; rank < 16; ++rank) capture.recording.ranks.push_back(rank);
  EXPECT_EQ(captured_work(capture).workers, 16U);
  EXPECT_TRUE(captured_work(capture).assumed);
  EXPECT_EQ(condition_of(captured_work(capture)), ", if each rank has its own batch");
  capture.ranks_of_batch = 8;  // tensor parallel: 8 ranks share a batch
  const StepWork work = captured_work(capture);
  EXPECT_EQ(work.workers, 2U);
  EXPECT_EQ(work.devices, 8U);
  EXPECT_FALSE(work.assumed);
  EXPECT_DOUBLE_EQ(rate_in_all(work, milliseconds{500}), 4);  // 2 batches in half a second, so 4 per second
  EXPECT_DOUBLE_EQ(rate_of_device(work, milliseconds{500}), 0.25);
  capture.job.local_size = 4;  // job.yaml takes precedence
  EXPECT_EQ(captured_work(capture).workers, 4U);
}

TEST(CapturedWorkTest, OneRankHasItsOwnBatchAndSoHaveThoseOfADataParallelJob) {
  Capture capture;
  capture.recording.ranks = {0};
  EXPECT_FALSE(captured_work(capture).assumed);
  capture.recording.ranks = {0, 1};
  capture.job.framework = "pytorch-ddp";
  EXPECT_FALSE(captured_work(capture).assumed);
}

}  // namespace
}  // namespace stepsim::sim
