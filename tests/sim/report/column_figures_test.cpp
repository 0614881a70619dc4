#include "sim/report/table_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stepsim::sim {
namespace {

using ::testing::ElementsAre;
using Texts = std::vector<std::string>;

/// Returns the texts of a column of times, in nanoseconds.
Texts column(const std::vector<std::int64_t>& times) {
  Table table({{"time"}});
  for (const std::int64_t time : times) table.add_row({Duration{time}});
  Texts texts;
  for (const Texts& row : with_common_units(table)) texts.push_back(row.front());
  return texts;
}

TEST(ColumnFiguresTest, AColumnHasTheUnitOfItsLargest) {
  EXPECT_THAT(column({57'496'000, 474'986'000, 657'000}), ElementsAre("57.50 ms", "474.99 ms", "0.66 ms"));
  EXPECT_THAT(column({1'109'600'000, 964'118'000}), ElementsAre("1.110 s", "0.964 s"));
  EXPECT_THAT(column({999, 1}), ElementsAre("999 ns", "1 ns"));
}

TEST(ColumnFiguresTest, NoZerosThatSayNothing) {
  EXPECT_THAT(column({22'000, 110'000}), ElementsAre("22 us", "110 us"));
  EXPECT_THAT(column({22'500, 110'000}), ElementsAre("22.5 us", "110.0 us"));
  EXPECT_THAT(column({0, 0}), ElementsAre("0", "0"));
}

TEST(ColumnFiguresTest, UnequalTimesDoNotLookEqual) {
  EXPECT_THAT(column({534'062'000, 534'063'000}), ElementsAre("534.062 ms", "534.063 ms"));
  EXPECT_THAT(column({534'062'000, 530'000'000}), ElementsAre("534.1 ms", "530.0 ms"));
  EXPECT_THAT(column({534'062'000, -534'063'000}), ElementsAre("534.1 ms", "-534.1 ms")) << "the sign tells them apart";
}

TEST(ColumnFiguresTest, NorThoseOfARow) {
  Table table({{"measured"}, {"replayed"}});
  table.add_row({Duration{534'062'000}, Duration{534'063'000}});
  EXPECT_THAT(with_common_units(table), ElementsAre(Texts{"534.062 ms", "534.063 ms"}));
}

TEST(ColumnFiguresTest, AColumnHasASmallerUnitWhereItsSmallestNeedsIt) {
  EXPECT_THAT(column({2'200'000, 8'000}), ElementsAre("2200 us", "8 us"));
  EXPECT_THAT(column({10'000'000, 8'000}), ElementsAre("10.000 ms", "0.008 ms")) << "no more than four digits";
}

TEST(ColumnFiguresTest, ATimeThatRoundsToNothingIsNotZero) {
  EXPECT_THAT(column({5'000'000'000, 12'345, 3, 0}), ElementsAre("5000.000 ms", "0.012 ms", "<0.001 ms", "0"));
  EXPECT_THAT(column({5'000'000'000, -12'345, -3}), ElementsAre("5000.000 ms", "-0.012 ms", "<0.001 ms"));
}

TEST(ColumnFiguresTest, CountsHaveThousandsSeparatorsAndNumbersThatNameThingsHaveNot) {
  Table table({{"tasks"}, {.title = "step", .identifies = true}});
  table.add_row({2'070, 12'345});
  table.add_row({-1'234'567, 999});
  EXPECT_THAT(with_common_units(table), ElementsAre(Texts{"2,070", "12345"}, Texts{"-1,234,567", "999"}));
}

TEST(ColumnFiguresTest, ADifferenceKeepsItsSign) {
  Table table({{"difference"}});
  table.add_row({signed_time_cell(Duration{1'500'000})});
  table.add_row({signed_time_cell(Duration{-2'250'000})});
  table.add_row({signed_time_cell(Duration{})});
  EXPECT_THAT(with_common_units(table), ElementsAre(Texts{"+1.50 ms"}, Texts{"-2.25 ms"}, Texts{"0"}));
}

TEST(ColumnFiguresTest, TimesThatAreComparedHaveTheUnitOfTheirMedian) {
  Table table({{"baseline"}, {"scenario"}});
  table.compare_times();
  table.add_row({Duration{532'082'000}, Duration{1'110'000'000}});
  table.add_row({Duration{150'171'000}, Duration{150'171'000}});
  EXPECT_THAT(with_common_units(table), ElementsAre(Texts{"532.1 ms", "1110.0 ms"}, Texts{"150.2 ms", "150.2 ms"}));
}

TEST(ColumnFiguresTest, ALargerOneWhereTheLargestNeedsIt) {
  Table table({{"baseline"}, {"scenario"}});
  table.compare_times();
  table.add_row({Duration{20'000'000'000}, Duration{2'000'000}});
  table.add_row({Duration{1'000'000}, Duration{}});
  EXPECT_THAT(with_common_units(table), ElementsAre(Texts{"20.000 s", "0.002 s"}, Texts{"0.001 s", "0"}));
}

TEST(ColumnFiguresTest, AMarkStays) {
  Table table({{"time"}});
  table.add_row({Cell{"* 1.25 ms", std::int64_t{1'250'000}, Unit::kNanoseconds}});
  table.add_row({Duration{12'500'000}});
  EXPECT_THAT(with_common_units(table), ElementsAre(Texts{"* 1.25 ms"}, Texts{"12.50 ms"}));
}

TEST(ColumnFiguresTest, OtherCellsStayAsTheyAre) {
  Table table({{"mixed"}, {"times"}, {"count"}, {"share"}});
  table.add_row({Duration{1'500'000}, Duration{1'000}, 22, percent_cell(0.5)});
  table.add_row({"a text", "-", 3, percent_cell(0.25)});
  EXPECT_THAT(with_common_units(table),
              ElementsAre(Texts{"1.5 ms", "1 us", "22", "50.0 %"}, Texts{"a text", "-", "3", "25.0 %"}));
}

}  // namespace
}  // namespace stepsim::sim
