#include "sim/stats/call_stacks.h"

#include <gtest/gtest.h>

#include "tests/sim/stats/measured_maker.h"
#include "tests/sim/stats/traced_calls.h"

namespace stepsim::testing {
namespace {

using sim::CallStack;
using sim::ModuleUse;

/// Records that step() calls Model twice, which calls Linear, which calls aten::linear, which calls aten::addmm.
struct Traced {
  Traced() {
    const auto step = calls.add(CallKind::kPython, "train.py(7): step", 0, 100);
    for (const std::int64_t begin : {10, 50}) {
      const auto model = calls.add(CallKind::kPython, "nn.Module: Model_0", begin, begin + 40, step);
      const auto linear = calls.add(CallKind::kPython, "nn.Module: Linear_0", begin + 5, begin + 35, model);
      const auto op = calls.add(CallKind::kOperator, "aten::linear", begin + 10, begin + 30, linear);
      calls.add(CallKind::kOperator, "aten::addmm", begin + 12, begin + 30, op, 1000);
    }
    const LaneId stream = maker.stream(0, 0, "stream 7");
    const TaskId kernel = maker.add(stream, TaskKind::kKernel, "gemm", 20, 32);
    capture = maker.make();
    capture.annotations.names = {"nn.Module: Model_0", "nn.Module: Linear_0", "forward"};
    for (const std::uint32_t which : {0U, 1U, 2U})
      capture.annotations.uses.push_back({maker.dag.new_id(kernel), which});
  }
  TracedCalls calls;
  MeasuredMaker maker;
  Capture capture;
};

TEST(CallStacksTest, EqualStacksAreOneNode) {
  const Traced traced;
  const std::vector<CallStack> stacks = sim::call_stacks(sim::measured_work(traced.capture, traced.calls.details));
  ASSERT_EQ(stacks.size(), 3U);
  EXPECT_EQ(stacks[0].name, "train.py(7): step");
  EXPECT_EQ(stacks[0].parent, CallStack::kNone);
  EXPECT_EQ(stacks[0].module, CallStack::kNone);
  EXPECT_EQ(stacks[0].calls, 1U);
  EXPECT_EQ(stacks[0].self, Duration{20});
  EXPECT_EQ(stacks[1].name, "nn.Module: Model_0");
  EXPECT_EQ(stacks[1].parent, 0U);
  EXPECT_EQ(stacks[1].module, 1U);
  EXPECT_EQ(stacks[1].calls, 2U);
  EXPECT_EQ(stacks[1].total, Duration{80});
  EXPECT_EQ(stacks[1].self, Duration{20});
  EXPECT_EQ(stacks[2].parent, 1U);
  EXPECT_EQ(stacks[2].self, Duration{60});  // includes the operators that it calls
}

TEST(CallStacksTest, ModulesHaveHostTimeDeviceTimeAndWork) {
  const Traced traced;
  const std::vector<ModuleUse> modules = sim::module_use(sim::measured_work(traced.capture, traced.calls.details));
  ASSERT_EQ(modules.size(), 2U);
  EXPECT_EQ(modules[0].name, "Model_0");
  EXPECT_EQ(modules[0].calls, 2U);
  EXPECT_EQ(modules[0].host, Duration{80});
  EXPECT_EQ(modules[0].host_self, Duration{20});
  EXPECT_EQ(modules[0].device, Duration{12});
  EXPECT_DOUBLE_EQ(modules[0].flops, 2000);
  EXPECT_EQ(modules[1].name, "Linear_0");
  EXPECT_EQ(modules[1].host_self, Duration{60});
  EXPECT_DOUBLE_EQ(modules[1].flops, 2000);
}

TEST(CallStacksTest, ATraceWithoutPythonHasNone) {
  MeasuredMaker maker;
  maker.add(maker.stream(0, 0, "stream 7"), TaskKind::kKernel, "a", 0, 10);
  const Capture capture = maker.make();
  EXPECT_TRUE(sim::call_stacks(sim::measured_work(capture, {})).empty());
  EXPECT_TRUE(sim::module_use(sim::measured_work(capture, {})).empty());
}

}  // namespace
}  // namespace stepsim::testing
