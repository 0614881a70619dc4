#include "sim/stats/launches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/stats/launched_work.h"

namespace stepsim::testing {
namespace {

using ::testing::ElementsAre;

TEST(KernelSequencesTest, OfTheOutermostOperatorInTheOrderOfTheDevice) {
  LaunchedWork made;
  const LaneId stream = made.work.stream(0, 0, "stream 7");
  for (std::int64_t at = 0; at < 3'000; at += 1'000) {
    const std::uint32_t step = made.calls.add(CallKind::kAnnotation, "step", at, at + 900);
    const std::uint32_t linear = made.calls.add(CallKind::kOperator, "aten::linear", at + 10, at + 210, step);
    const std::uint32_t addmm = made.calls.add(CallKind::kOperator, "aten::addmm", at + 20, at + 120, linear);
    made.add(stream, "cast", at + 30, at + 40, at + 50, at + 60, addmm);
    made.add(stream, "gemm", at + 50, at + 60, at + 60, at + 160, addmm);
    made.add(stream, "bias", at + 130, at + 140, at + 160, at + 170, linear);
    const std::uint32_t relu = made.calls.add(CallKind::kOperator, "aten::relu", at + 300, at + 400, step);
    made.add(stream, "relu", at + 310, at + 320, at + 330, at + 340, relu);  // too few occurrences to be listed
  }
  const std::uint32_t other = made.calls.add(CallKind::kOperator, "aten::linear", 5'000, 5'300);
  made.add(stream, "gemm", 5'010, 5'020, 5'100, 5'150, other);
  made.add(stream, "cast", 5'030, 5'040, 5'150, 5'160, other);
  made.add(stream, "bias", 5'050, 5'060, 5'160, 5'170, other);
  const sim::MeasuredWork work = made.measured();
  const std::vector<sim::KernelSequence> sequences = sim::kernel_sequences(work, sim::launches(work));
  ASSERT_EQ(sequences.size(), 2U);
  EXPECT_EQ(sequences[0].name, "aten::linear");
  EXPECT_THAT(sequences[0].kernels, ElementsAre("cast", "gemm", "bias"));
  EXPECT_EQ(sequences[0].calls, 3U);
  EXPECT_EQ(sequences[0].device, Duration{3 * 120});
  EXPECT_EQ(sequences[0].host, Duration{3 * 200});
  EXPECT_THAT(sequences[1].kernels, ElementsAre("gemm", "cast", "bias"));
  EXPECT_EQ(sequences[1].calls, 1U);
}

TEST(KernelSequencesTest, NothingWithoutOperators) {
  LaunchedWork made;
  const LaneId stream = made.work.stream(0, 0, "stream 7");
  for (std::int64_t i = 0; i < 5; ++i) made.add(stream, "gemm", 10 * i, 10 * i + 1, 10 * i + 2, 10 * i + 5);
  const sim::MeasuredWork work = made.measured();
  EXPECT_THAT(sim::kernel_sequences(work, sim::launches(work)), ::testing::IsEmpty());
}

}  // namespace
}  // namespace stepsim::testing
