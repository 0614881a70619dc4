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

/// Returns a table of `ranks` ranks. Rank r takes 1,000 - r ns, so rank 0 is slowest, and computes r % of it.
Table by_rank(std::int64_t ranks) {
  Table table({{.title = "rank", .identifies = true}, {"step time"}, {"compute"}});
  constexpr double kHundred = 100;
  for (std::int64_t rank = 0; rank < ranks; ++rank)
    table.add_row({rank, Duration{1000 - rank}, percent_cell(static_cast<double>(rank) / kHundred)});
  return table;
}

TEST(DigestTest, IsTheSpreadAndTheSlowestRanks) {
  const std::optional<Table> digest = digest_of(by_rank(65), 2);
  ASSERT_TRUE(digest);
  std::vector<std::vector<std::string>> rows;
  for (const std::vector<Cell>& row : digest->rows()) {
    std::vector<std::string>& texts = rows.emplace_back();
    for (const Cell& cell : row) texts.push_back(cell.text());
  }
  // Ranks 0 to 64: the middle one of 65 is 32.
  const std::vector<std::vector<std::string>> expected{{"min", "936 ns", "0.0 %"},
                                                       {"median", "968 ns", "32.0 %"},
                                                       {"max", "1 us", "64.0 %"},
                                                       {"0", "1 us", "0.0 %"},
                                                       {"1", "999 ns", "1.0 %"}};
  EXPECT_EQ(rows, expected);
}

TEST(DigestTest, ShortTablesAndOtherTablesStay) {
  EXPECT_FALSE(digest_of(by_rank(static_cast<std::int64_t>(kFewRankRows)), 5));
  EXPECT_TRUE(digest_of(by_rank(static_cast<std::int64_t>(kFewRankRows) + 1), 5));
  EXPECT_FALSE(digest_of(by_rank(20), 20));
  Table names({{"name", Align::kLeft}, {"time"}});
  for (int i = 0; i < 30; ++i) names.add_row({std::string("kernel"), Duration{i}});
  EXPECT_FALSE(digest_of(names, 5));
}

}  // namespace
}  // namespace stepsim::sim
