#include "sim/report/table.h"

#include <gtest/gtest.h>

namespace stepsim::sim {
namespace {

TEST(CellTest, ANumberIsThereBesideWhatPeopleRead) {
  const Cell time{Duration{1'500}};
  EXPECT_EQ(time.text(), "1.5 us");
  EXPECT_EQ(time.number(), Cell::Number{std::int64_t{1'500}});
  EXPECT_EQ(time.unit(), Unit::kNanoseconds);
  EXPECT_EQ(signed_percent_cell(-0.25).text(), "-25.0 %");
  EXPECT_EQ(signed_percent_cell(-0.25).number(), Cell::Number{-0.25});
  EXPECT_EQ(Cell{7}.text(), "7");
  EXPECT_EQ(nanoseconds_cell(Duration{1'500}).text(), "1500");
  EXPECT_EQ(signed_time_cell(Duration{1'500}).text(), "+1.5 us");
  EXPECT_EQ(signed_time_cell(Duration{-1'500}).text(), "-1.5 us");
  EXPECT_EQ(signed_time_cell(Duration{}).text(), "0 ns");
}

TEST(CellTest, ATextIsNoNumberHoweverItLooks) {
  EXPECT_FALSE(Cell{"12"}.is_number());
  EXPECT_FALSE(Cell{"12"}.is_absent());
  EXPECT_TRUE(Cell{"-"}.is_absent());
  EXPECT_FALSE(Cell{0}.is_absent());
}

TEST(PercentTest, RatiosAreShownWithSignAndUnit) {
  EXPECT_EQ(signed_percent(0.01234), "+1.2 %");
  EXPECT_EQ(signed_percent(-0.004), "-0.4 %");
  EXPECT_EQ(percent(0.1234), "12.3 %");
  EXPECT_EQ(percent(9.99), "999.0 %");
  EXPECT_EQ(percent(65.4), "65x");
}

TEST(PercentTest, WhatRoundsToNothingShowsItsFirstDigitOrNoSign) {
  EXPECT_EQ(signed_percent(0.00001), "+0.001 %");
  EXPECT_EQ(signed_percent(-0.00002), "-0.002 %");
  EXPECT_EQ(signed_percent(-0.0004), "-0.04 %");
  EXPECT_EQ(signed_percent(-0.000001), "-0.0001 %");
  EXPECT_EQ(signed_percent(-0.0000004), "0.0 %");
  EXPECT_EQ(signed_percent(0.0000004), "0.0 %");
  EXPECT_EQ(signed_percent(0), "0.0 %");
  EXPECT_EQ(signed_percent(-0.0), "0.0 %");
  EXPECT_EQ(signed_percent(-0.0000096), "-0.001 %") << "rounded up to the digit before";
}

}  // namespace
}  // namespace stepsim::sim
