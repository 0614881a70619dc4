#include "capture/session/settings.h"

#include <gtest/gtest.h>

#include <string>

namespace stepsim::capture {
namespace {

/// Returns the phases of the first steps as letters: w wait, u warm-up, a active, d done.
std::string phases(const Schedule& schedule, std::uint64_t steps) {
  std::string text;
  for (std::uint64_t i = 0; i < steps; ++i) text += "wuad"[static_cast<std::size_t>(schedule.phase_of(i))];
  return text;
}

TEST(ScheduleTest, WithoutOneAllStepsAreActive) { EXPECT_EQ(phases({}, 4), "aaaa"); }

TEST(ScheduleTest, ActiveAloneTakesTheFirstSteps) { EXPECT_EQ(phases({.active = 3}, 5), "aaadd"); }

TEST(ScheduleTest, ACycleWaitsWarmsUpAndRecords) {
  EXPECT_EQ(phases({.wait = 2, .warm_up = 1, .active = 2}, 7), "wwuaadd");
}

TEST(ScheduleTest, CyclesRepeatAsOftenAsAsked) {
  EXPECT_EQ(phases({.skip_first = 1, .wait = 1, .warm_up = 1, .active = 1, .repeat = 2}, 9), "wwuawuadd");
  EXPECT_EQ(phases({.wait = 1, .active = 1, .repeat = 0}, 6), "wawawa");
}

TEST(ScheduleTest, WithoutAnEndTheFirstCycleGoesOn) {
  EXPECT_EQ(phases({.skip_first = 2, .wait = 1, .warm_up = 1}, 7), "wwwuaaa");
}

}  // namespace
}  // namespace stepsim::capture
