#include "sim/analysis/summary.h"
#include "sim/report/headline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stepsim::sim {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

Summary measured(Duration iteration) {
  Summary summary;
  summary.measured = true;
  summary.iteration.measured = iteration;
  return summary;
}

Capture free_step(Duration step) {
  Capture capture;
  capture.job.measured_step = step;
  return capture;
}

TEST(SlowingTest, IsTheRecordedIterationOverTheFreeStep) {
  const auto slowing = slowing_of(free_step(milliseconds{100}), measured(milliseconds{105}));
  ASSERT_TRUE(slowing);
  EXPECT_DOUBLE_EQ(slowing->share(), 0.05);
  EXPECT_THAT(to_text(*slowing), HasSubstr("the profiler slows this job by 5.0 %"));
}

TEST(SlowingTest, IsNotSeenWhereARecordedStepWasAsShortAsAFreeOne) {
  Summary summary = measured(milliseconds{105});
  for (const int step : {112, 105, 99}) summary.steps.push_back({.measured = milliseconds{step}});
  const auto slowing = slowing_of(free_step(milliseconds{100}), summary);
  ASSERT_TRUE(slowing);
  EXPECT_FALSE(slowing->is_seen());
  EXPECT_THAT(to_text(*slowing),
              HasSubstr("+5.0 %, which is within the spread of the recorded steps (the shortest takes 99 ms)"));
  summary.steps.pop_back();
  EXPECT_TRUE(slowing_of(free_step(milliseconds{100}), summary)->is_seen());
}

TEST(SlowingTest, NothingIsSaidOfAJobThatDoesNotSayItOrOfATaskGraph) {
  EXPECT_FALSE(slowing_of(Capture{}, measured(milliseconds{105})));
  EXPECT_FALSE(slowing_of(free_step(milliseconds{100}), Summary{}));
}

}  // namespace
}  // namespace stepsim::sim
