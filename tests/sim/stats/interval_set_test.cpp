#include "sim/stats/device_use.h"

#include <gtest/gtest.h>

namespace stepsim::testing {
namespace {

using sim::Interval;
using sim::IntervalSet;

IntervalSet set_of(std::initializer_list<std::pair<int, int>> intervals) {
  std::vector<Interval> made;
  for (const auto& [begin, end] : intervals) made.push_back({Time{Duration{begin}}, Time{Duration{end}}});
  return IntervalSet{std::move(made)};
}

std::vector<std::pair<std::int64_t, std::int64_t>> pairs_of(const IntervalSet& set) {
  std::vector<std::pair<std::int64_t, std::int64_t>> made;
  for (const Interval& each : set.intervals())
    made.emplace_back(each.begin.time_since_epoch().count(), each.end.time_since_epoch().count());
  return made;
}

using Pairs = std::vector<std::pair<std::int64_t, std::int64_t>>;

TEST(IntervalSetTest, JoinsWhatOverlapsOrTouches) {
  EXPECT_EQ(pairs_of(set_of({{5, 7}, {0, 2}, {2, 3}, {6, 9}})), (Pairs{{0, 3}, {5, 9}}));
}

TEST(IntervalSetTest, EmptyAndReversedIntervalsCoverNothing) {
  EXPECT_TRUE(set_of({{4, 4}, {7, 5}}).empty());
  EXPECT_EQ(set_of({{4, 4}, {7, 5}}).length(), Duration{});
}

TEST(IntervalSetTest, AnIntervalWithinAnotherAddsNothing) {
  EXPECT_EQ(pairs_of(set_of({{0, 10}, {2, 3}, {4, 5}})), (Pairs{{0, 10}}));
}

TEST(IntervalSetTest, UnionAndIntersectionOfTwo) {
  const IntervalSet a = set_of({{0, 4}, {10, 14}});
  const IntervalSet b = set_of({{3, 11}, {13, 20}});
  EXPECT_EQ(pairs_of(united(a, b)), (Pairs{{0, 20}}));
  EXPECT_EQ(common_length(a, b), Duration{3});  // the common parts are 3 to 4, 10 to 11 and 13 to 14
  EXPECT_EQ(common_length(a, IntervalSet{}), Duration{});
  // One interval over several, and several in one.
  const IntervalSet one = set_of({{0, 100}});
  const IntervalSet several = set_of({{-5, 5}, {10, 20}, {30, 40}, {95, 105}});
  EXPECT_EQ(common_length(one, several), Duration{30});
  EXPECT_EQ(common_length(several, one), Duration{30});
}

}  // namespace
}  // namespace stepsim::testing
