#include "model/job/range_profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

namespace stepsim {
namespace {

/// HugeCTR's table for the eight layers of DLRM numbers fc1 with 0 (forward) and 7 (backward), fc2 with 1 and 6, ...,
/// fc8 with 7 and 0.
TEST(RangeScheduleTest, EqualLayersRunForwardsAndThenBackwards) {
  RangeSchedule schedule;
  for (int i = 1; i <= 8; ++i) schedule.layers.push_back({fmt::format("fc{}", i), {{"fprop", {}}}, {{"bprop", {}}}});
  const std::vector<RangePlace> places = places_of(schedule);
  ASSERT_EQ(places.size(), 16U);
  for (std::uint32_t i = 0; i < 8; ++i) {
    EXPECT_EQ(places[2 * i].layer, fmt::format("fc{}", i + 1));
    EXPECT_EQ(places[2 * i].name, "fprop");
    EXPECT_EQ(places[2 * i].occurrence, i);
    EXPECT_EQ(places[2 * i + 1].name, "bprop");
    EXPECT_EQ(places[2 * i + 1].occurrence, 7 - i);
  }
}

TEST(RangeScheduleTest, AnOccurrenceThatIsGivenStands) {
  const RangeSchedule schedule{.layers = {{"a", {{"x", 5}, {"x", {}}}, {}}}};
  const std::vector<RangePlace> places = places_of(schedule);
  EXPECT_EQ(places.at(0).occurrence, 5U);
  EXPECT_EQ(places.at(1).occurrence, 1U);
}

/// The example in HugeCTR's README has one line per iteration of each range, and no final newline.
TEST(RangeScheduleTest, TextHasOneLineAnIteration) {
  const RangeSchedule schedule{.warmup = 10, .repeat = 2, .layers = {{"fc1", {{"fprop", {}}}, {{"bprop", 6}}}}};
  EXPECT_EQ(to_text(schedule), "10\nfprop 11 fc1 0\nfprop 12 fc1 0\nbprop 13 fc1 6\nbprop 14 fc1 6");
}

}  // namespace
}  // namespace stepsim
