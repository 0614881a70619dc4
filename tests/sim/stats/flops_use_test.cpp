#include "sim/stats/compute_use.h"

#include <gtest/gtest.h>

#include "tests/sim/stats/measured_maker.h"
#include "tests/sim/stats/traced_calls.h"

namespace stepsim::testing {
namespace {

using sim::FlopsUse;

TEST(FlopsUseTest, OnADeviceByTheWorkThatAnOperatorLaunched) {
  MeasuredMaker maker;
  const LaneId stream = maker.stream(0, 0, "stream 7");
  const TaskId first = maker.add(stream, TaskKind::kKernel, "gemm", 0, 10);
  const TaskId second = maker.add(stream, TaskKind::kKernel, "splitk", 10, 15);
  const TaskId third = maker.add(stream, TaskKind::kKernel, "gemm", 20, 30);
  const TaskId other = maker.add(stream, TaskKind::kKernel, "relu", 30, 40);
  Capture capture = maker.make();
  capture.operators.operators = {{"aten::mm", "", {.flops = 3000}}, {"aten::relu", "", {.bytes = 9}}};
  const auto id = [&maker](TaskId task) { return maker.dag.new_id(task); };
  // One call launched the first two kernels.
  capture.operators.uses = {
      {id(first), 0, 0, false}, {id(second), 0, 0, false}, {id(third), 0, 1, false}, {id(other), 1, 2, false}};
  capture.operators.occurrences = 3;
  const std::vector<FlopsUse> use = sim::flops_use(sim::measured_work(capture, {}));
  ASSERT_EQ(use.size(), 1U);
  EXPECT_EQ(use.front().name, "aten::mm");
  EXPECT_TRUE(use.front().on_device);
  EXPECT_EQ(use.front().calls, 2U);
  EXPECT_DOUBLE_EQ(use.front().flops, 6000);
  EXPECT_EQ(use.front().time, Duration{25});
  EXPECT_DOUBLE_EQ(use.front().per_second(), 6000 / 25e-9);
  EXPECT_FALSE(use.front().of_peak()) << "the device is not known";
}

TEST(FlopsUseTest, TheShareOfThePeakOfAKnownDevice) {
  MeasuredMaker maker;
  const TaskId product = maker.add(maker.stream(0, 0, "stream 7"), TaskKind::kKernel, "gemm", 0, 1000);
  Capture capture = maker.make();
  capture.devices[0] = "NVIDIA A100-SXM4-80GB";
  // Half of what an A100 multiplies in 1,000 ns in half precision: 312 TFLOP/s.
  capture.operators.operators = {
      {"aten::mm", "", {.kind = KernelClass::kGemm, .flops = 156e6, .bytes = 1, .precision = Precision::kFloat16}}};
  capture.operators.operators.front().inputs = {
      {.sizes = {8, 8}, .precision = Precision::kFloat16, .element = ElementKind::kFloat}};
  capture.operators.uses = {{maker.dag.new_id(product), 0, 0, false}};
  capture.operators.occurrences = 1;
  const std::vector<FlopsUse> use = sim::flops_use(sim::measured_work(capture, {}));
  ASSERT_EQ(use.size(), 1U);
  ASSERT_TRUE(use.front().of_peak());
  EXPECT_NEAR(*use.front().of_peak(), 0.5, 1e-3);
  // The device was traced for 2,000 ns.
  sim::DeviceUse device{.rank = 0, .device = 0};
  device.use.span = Duration{2000};
  ASSERT_TRUE(sim::flops_utilisation(use, {device}));
  EXPECT_NEAR(*sim::flops_utilisation(use, {device}), 0.25, 1e-3);
  EXPECT_FALSE(sim::flops_utilisation({}, {device}));
}

TEST(FlopsUseTest, OnAHostByItsCalls) {
  TracedCalls calls;
  calls.add(CallKind::kOperator, "aten::mm", 0, 10, TraceDetails::kNone, 500);
  calls.add(CallKind::kOperator, "aten::mm", 20, 30, TraceDetails::kNone, 500);
  calls.add(CallKind::kOperator, "aten::conv2d", 40, 50, TraceDetails::kNone, 2000);
  calls.add(CallKind::kOperator, "aten::relu", 60, 70);
  MeasuredMaker maker;
  maker.add(maker.lane(0, LaneKind::kThread, "thread 1"), TaskKind::kHost, "aten::mm", 0, 10);
  const Capture capture = maker.make();
  const std::vector<FlopsUse> use = sim::flops_use(sim::measured_work(capture, calls.details));
  ASSERT_EQ(use.size(), 2U);
  EXPECT_EQ(use[0].name, "aten::conv2d");
  EXPECT_FALSE(use[0].on_device);
  EXPECT_EQ(use[1].calls, 2U);
  EXPECT_DOUBLE_EQ(use[1].flops, 1000);
  EXPECT_EQ(use[1].time, Duration{20});
}

}  // namespace
}  // namespace stepsim::testing
