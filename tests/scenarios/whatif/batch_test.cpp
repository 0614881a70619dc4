#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/base/error.h"
#include "model/rewrite/capture_edit.h"
#include "scenarios/answer/baseline.h"
#include "tests/model/rewrite/parameter_server/workload_maker.h"
#include "tests/scenarios/sample_questions.h"
#include "tests/scenarios/whatif/gpu_step.h"
#include "tests/sim/dag_maker.h"
#include "tests/thrown_by.h"

namespace stepsim::testing {
namespace {

/// The job has one worker, one server and one tensor of 1 MB on links of 1 GB/s. A step consists of forward, backward,
/// push, pull and update.
TEST(BatchWhatIf, OfAParameterServersStepOnlyForwardAndBackwardGrow) {
  const WorkloadMaker maker;
  const Question question(maker.capture(), switch_of(2, 1e9, Duration{10'000}), "maxmin");
  EXPECT_EQ(question.iteration({"batch.scale=3"}) - question.iteration(), 2 * (kForward + kBackward));
}

/// Returns two pipeline stages that exchange an activation of 1 MB. A step takes 5 ms, 1 ms for the message (plus
/// latency) and 7 ms.
Capture pipeline() {
  DagMaker maker;
  const TaskId first = maker.task(maker.lane(0), 5'000'000, {}, "forward", TaskKind::kOperator);
  const TaskId send = maker.task(maker.lane(0), 1'000'000, {first}, "send", TaskKind::kCollective);
  const TaskId receive = maker.task(maker.lane(1), 1'000'000, {}, "receive", TaskKind::kCollective);
  (void)maker.task(maker.lane(1), 7'000'000, {receive}, "forward", TaskKind::kOperator);
  const RendezvousId message = maker.builder.add_rendezvous({.op = CollectiveOp::kSendRecv, .bytes = Bytes{1'000'000}});
  maker.builder.join(message, send);
  maker.builder.join(message, receive);
  Capture capture;
  capture.dag = maker.build();
  return capture;
}

TEST(BatchWhatIf, ActivationsBetweenPipelineStagesGrow) {
  const Question question(pipeline(), switch_of(2, 1e9, Duration{10'000}), "maxmin");
  const Duration latency{2 * 10'000};
  EXPECT_EQ(question.iteration(), Duration{13'000'000} + latency);
  EXPECT_EQ(question.iteration({"batch.scale=2"}), Duration{26'000'000} + latency);
}

TEST(BatchWhatIf, RecordedTimesOfActivationsGrow) {
  EXPECT_EQ(Question(pipeline()).iteration({"batch.scale=2"}), Duration{26'000'000});
}

TEST(BatchWhatIf, ReductionsOfGradientsStay) {
  const Question question = streams_question();
  // Rank 1 computes for 150 us, which doubles. The 30 us of reduction, 20 us of waiting and 10 us on the host do not
  // change.
  EXPECT_EQ(question.iteration({"batch.scale=2"}), std::chrono::microseconds{300 + 30 + 20 + 10});
}

TEST(BatchWhatIf, KernelsOnSamplesGrowByRooflineAndTheOptimizerStays) {
  const Accelerator& device = accelerator_named("A100");
  const Work product = GpuStep::product();
  Work larger = product;
  larger.flops *= 2;
  larger.shape.rows *= 2;
  // The inputs are 8192 x 4096 samples and a 4096 x 4096 weight. So two thirds of the input bytes are samples. Twice
  // the samples are two thirds more bytes, and the bytes of the kernel are assumed to grow in the same ratio.
  larger.bytes *= 1 + 2.0 / 3;
  const Work activation = GpuStep::activation();
  Work more = activation;
  more.bytes *= 2;
  EXPECT_EQ(GpuStep().question().iteration({"batch.scale=2"}),
            kLaunch + scaled_by_roofline(GpuStep::kProductTime, product, device, larger, device) +
                scaled_by_roofline(GpuStep::kActivationTime, activation, device, more, device) + GpuStep::kUpdateTime);
}

TEST(BatchWhatIf, KernelsThatAreMostlyStartUpHardlyGrow) {
  GpuJob job("NVIDIA A100-SXM4-40GB");
  const TaskId small = job.launch("small", TaskKind::kKernel, kLaunch, std::chrono::microseconds{3});
  job.is_of(small, {"aten::relu", {fp32({8, 16})}, {}, {}, {}});
  // The kernel reads and writes 128 floats, which takes less than a nanosecond. Any kernel takes at least 1.6 us on
  // this device, so twice as many floats hardly change the time.
  const Duration grown = std::move(job).question().iteration({"batch.scale=2"}) - kLaunch;
  EXPECT_GE(grown, std::chrono::microseconds{3});
  EXPECT_LE(grown, std::chrono::nanoseconds{3'003});
}

TEST(BatchWhatIf, LatencyOfAKernelThatLeavesTheDeviceIdleStays) {
  GpuJob job("NVIDIA A100-SXM4-40GB");
  const TaskId small = job.launch("small", TaskKind::kKernel, kLaunch, std::chrono::microseconds{20});
  job.is_of(small, {"aten::relu", {fp32({64, 256})}, {}, {}, {}});
  // The kernel is a pass over 128 KiB. This takes 0.1 us of memory time, and keeps 7 % of the device's memory accesses
  // in flight. The kernel's best time is 1.7 us, or 3.1 us with sixteen times the samples. The rest of the recorded 20
  // us is latency. 7 % of the latency grows in the ratio of the best times, and 93 % does not grow.
  const Duration grown = std::move(job).question().iteration({"batch.scale=16"}) - kLaunch;
  EXPECT_GE(grown, std::chrono::microseconds{21});
  EXPECT_LE(grown, std::chrono::microseconds{23});
}

TEST(BatchWhatIf, OnAnUnknownDeviceWorkGrowsInProportion) {
  const scenarios::Prediction grown = GpuStep("some board").question().predicted({"batch.scale=2"});
  EXPECT_EQ(grown.iteration, kLaunch + 2 * (GpuStep::kProductTime + GpuStep::kActivationTime) + GpuStep::kUpdateTime);
  const ScaledShare& share = grown.shares.front().share;
  EXPECT_EQ(share.by[static_cast<std::size_t>(ScaledBy::kAmount)].before,
            GpuStep::kProductTime + GpuStep::kActivationTime);
}

TEST(BatchWhatIf, OnAnUnknownDeviceTheRangeHasTheSquareRootOfTheGrowthOnEachSide) {
  DeviceWork before{Duration{1'000}, KernelClass::kElementwise, Precision::kFloat32, {}};
  DeviceWork after = before;
  after.amount = 9;
  const Scaled grown = scaled_by_amount(before, after);
  EXPECT_DOUBLE_EQ(grown.nanoseconds, 9'000);
  EXPECT_DOUBLE_EQ(grown.error, 2) << "from 3,000 to 27,000";
  EXPECT_DOUBLE_EQ(scaled_by_amount(after, before).error, 2);
}

TEST(BatchWhatIf, WithoutShapesAndWithoutADeviceTheRangeIsAsWideAsThatIgnorance) {
  GpuJob job;  // the trace does not name the device
  job.launch("volta_sgemm_64x64_nt", TaskKind::kKernel, kLaunch, std::chrono::microseconds{40});
  job.launch("ncclDevKernel_AllReduce_Sum_f32_RING_LL", TaskKind::kCollective, Duration{0},
             std::chrono::microseconds{20});
  const Question question = std::move(job).question();
  const scenarios::Prediction grown = question.predicted({"batch.scale=4"});
  EXPECT_EQ(grown.iteration, kLaunch + std::chrono::microseconds{4 * 40 + 20});
  ASSERT_EQ(grown.shares.size(), 1U);
  EXPECT_EQ(grown.shares.front().share.by[static_cast<std::size_t>(ScaledBy::kAmount)].before,
            std::chrono::microseconds{40});
  EXPECT_THAT(scenarios::narrowing_text(grown), ::testing::HasSubstr("device.from=NAME"));
}

TEST(BatchWhatIf, RefusesAProfilersTraceWithoutShapes) {
  EXPECT_THAT(thrown_by<std::exception>(
                  [&] { return GpuStep("NVIDIA A100-SXM4-40GB", false).question().iteration({"batch.scale=2"}); }),
              ::testing::HasSubstr("record_shapes=True"));
}

TEST(BatchWhatIf, RefusesACaptureInWhichNothingComputes) {
  DagMaker maker;
  (void)maker.task(maker.lane(0), 1'000, {}, "gloo:all_reduce", TaskKind::kCollective);
  Capture capture;
  capture.dag = maker.build();
  EXPECT_THROW((void)Question(std::move(capture)).iteration({"batch.scale=2"}), std::runtime_error);
}

}  // namespace
}  // namespace stepsim::testing
