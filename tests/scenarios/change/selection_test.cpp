#include "scenarios/change/selection.h"

#include <gtest/gtest.h>

#include <string>

#include "scenarios/question/scenario.h"
#include "tests/sim/dag_maker.h"

namespace stepsim::testing {
namespace {

using scenarios::Selection;

/// Returns a job with 40 ns of host work and two kernels of 60 and 40 ns. The operator aten::mm, 10 ns of the host
/// work, launches the first kernel.
Capture job() {
  DagMaker maker;
  const LaneId thread = maker.lane(0);
  const LaneId stream = maker.builder.add_lane({.name = "stream 7", .rank = 0, .kind = LaneKind::kStream, .device = 0});
  const TaskId call = maker.task(thread, 10, {}, "aten::mm");
  const TaskId kernel = maker.task(stream, 60, {call}, "gemm_kernel", TaskKind::kKernel);
  (void)maker.task(stream, 40, {kernel}, "softmax_kernel", TaskKind::kKernel);
  (void)maker.task(thread, 30, {call}, "python");
  Capture capture;
  capture.dag = maker.build();
  capture.operators.operators = {{"aten::mm", "", {}}};
  capture.operators.uses = {{maker.new_id(kernel), 0, 0, false}};
  return capture;
}

std::optional<Selection> selection(const char* set) {
  scenarios::Scenario scenario;
  scenarios::add_set(scenario, set);
  return selection_of(scenario.changes.front(), job());
}

TEST(SelectionTest, CountsTasksAndTheirShareOfTheirClass) {
  const auto kernels = selection("compute{kind=kernel,name=gemm}.scale=0.5");
  ASSERT_TRUE(kernels && kernels->parts.size() == 1);
  EXPECT_EQ(kernels->parts[0].of, sim::PathClass::kCompute);
  EXPECT_EQ(kernels->parts[0].tasks, 1U);
  EXPECT_EQ(kernels->parts[0].time, Duration{60});
  EXPECT_EQ(kernels->parts[0].all, Duration{100});
  EXPECT_EQ(text_of(*kernels), "1 task, 60 ns of 100 ns of compute (60.0 %)");
}

TEST(SelectionTest, EachClassIsAPartOfItsOwn) {
  const auto both = selection("remove{name=mm}.share=1");
  ASSERT_TRUE(both && both->parts.size() == 2);
  EXPECT_EQ(text_of(*both),
            "1 task, 60 ns of 100 ns of compute (60.0 %); 1 task, 10 ns of 40 ns of host work (25.0 %)");
}

TEST(SelectionTest, AnOperatorsHostPartOffersItsKernels) {
  const auto host = selection("compute{name=aten::mm}.scale=0.5");
  ASSERT_TRUE(host);
  EXPECT_NE(host->hint.find("{operator=aten::mm}"), std::string::npos) << host->hint;
  EXPECT_EQ(selection("compute{name=python}.scale=0.5")->hint, "");
  EXPECT_EQ(selection("compute{operator=mm}.scale=0.5")->hint, "");
}

TEST(SelectionTest, AllHostTasksAreSelectedBesideThousandsOfOperators) {
  constexpr int kNames = 15'000;  // bench/growth_bench.cpp measures how the time grows
  DagMaker maker;
  Capture capture;
  const LaneId thread = maker.lane(0);
  for (int i = 0; i < kNames; ++i) {
    (void)maker.task(thread, 1, {}, "host" + std::to_string(i));
    capture.operators.operators.push_back({"operator" + std::to_string(i), "", {}});
  }
  capture.dag = maker.build();
  scenarios::Scenario scenario;
  scenarios::add_set(scenario, "compute{kind=host}.scale=0.5");
  const auto all = selection_of(scenario.changes.front(), capture);
  ASSERT_TRUE(all);
  EXPECT_EQ(all->parts[0].tasks, kNames);
  EXPECT_EQ(all->hint, "");
}

TEST(SelectionTest, AWhatIfWithoutSelectionHasNone) {
  EXPECT_FALSE(selection("network.bandwidth=2x"));
  EXPECT_FALSE(selection("compute{rank=7}.scale=2"));
}

}  // namespace
}  // namespace stepsim::testing
