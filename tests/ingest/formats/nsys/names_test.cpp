#include "ingest/formats/nsys/names.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace stepsim::ingest::names_test {
namespace {

TEST(NsysNamesTest, CallsHaveNoVersion) {
  EXPECT_EQ(call_name("cudaLaunchKernel_v7000"), "cudaLaunchKernel");
  EXPECT_EQ(call_name("cudaLaunchKernel_ptsz_v7000"), "cudaLaunchKernel");
  EXPECT_EQ(call_name("cudaMemcpyAsync_ptds"), "cudaMemcpyAsync");
  EXPECT_EQ(call_name("cuStreamCreate"), "cuStreamCreate");
  EXPECT_EQ(call_name("cuMemFree_v2"), "cuMemFree");
  EXPECT_EQ(call_name(""), "");
  EXPECT_EQ(call_name("123"), "123");
}

TEST(NsysNamesTest, CopiesAreNamedAsInKineto) {
  EXPECT_EQ(copy_name(1, 1, 2), "Memcpy HtoD (Pinned -> Device)");
  EXPECT_EQ(copy_name(2, 2, 0), "Memcpy DtoH (Device -> Pageable)");
  EXPECT_EQ(copy_name(99, -3, 8), "Memcpy Unknown (Unknown -> Unknown)");
  EXPECT_EQ(memset_name(2), "Memset (Device)");
}

TEST(NsysNamesTest, OperatorsAreToldByWhatPyTorchWritesBehindThem) {
  EXPECT_EQ(operator_name("aten::mm, op_id = 12"), "aten::mm");
  EXPECT_EQ(operator_name("MmBackward0, seq = 7, op_id = 12, sizes = [[2, 3], [3, 4]]"), "MmBackward0");
  EXPECT_EQ(operator_name("aten::mm"), std::nullopt);
  EXPECT_EQ(operator_name(", seq = 7"), std::nullopt);
}

TEST(NsysNamesTest, StepsAreToldByTheirWords) {
  const std::vector<std::pair<std::string, std::int64_t>> numbered{
      {"Iteration 12", 12},     {"iter=3", 3},         {"step_7", 7},
      {"train_step: 41", 41},   {"ProfilerStep#4", 4}, {"Step 5/100", 5},
      {"global step [19]", 19}, {"epoch 3 batch 8", 8}};
  for (const auto& [range, number] : numbered) {
    const auto step = step_name(range);
    ASSERT_TRUE(step) << range;
    EXPECT_EQ(step->number, number) << range;
  }
  EXPECT_EQ(step_name("Iteration 12")->family, step_name("iteration 13")->family);
  EXPECT_NE(step_name("epoch 3 batch 8")->family, step_name("epoch 4 batch 8")->family);
  for (const std::string range : {"train_step", "Iteration", "training step", "batch"}) {
    const auto step = step_name(range);
    ASSERT_TRUE(step) << range;
    EXPECT_EQ(step->number, std::nullopt) << range;
  }
}

TEST(NsysNamesTest, OtherRangesAreNoSteps) {
  for (const std::string range :
       {"forward", "Optimizer.step#SGD.step", "timestep 5", "microbatch 3", "iteration 3 forward", "BatchNorm2d 1",
        "step 99999999999999999999", "", "aten::mm, seq = 7", "layer 3"}) {
    EXPECT_FALSE(step_name(range)) << range;
  }
}

}  // namespace
}  // namespace stepsim::ingest::names_test
