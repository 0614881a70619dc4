#include "sim/report/table.h"

#include <gtest/gtest.h>

namespace stepsim::sim {
namespace {

TEST(TableTest, AlignsColumnsUnderTheirHeadings) {
  Table table{{{"name", Align::kLeft}, {"time"}}};
  table.add_row({"a", "1.5 ms"});
  table.add_row({"longer", "12 ms"});
  EXPECT_EQ(table.to_text(),
            "name      time\n"
            "a       1.5 ms\n"
            "longer   12 ms\n");
}

TEST(TableTest, LinesHaveNoTrailingBlanks) {
  Table table{{{"a"}, {"name", Align::kLeft}}};
  table.add_row({"1", "long name"});
  table.add_row({"2", ""});
  EXPECT_EQ(table.to_text(), "a  name\n1  long name\n2\n");
}

TEST(TableTest, LongCellsAreCutInTheMiddle) {
  Table table{{{"task", Align::kLeft, 9}}};
  table.add_row({"abcdefghijklmnop"});
  EXPECT_EQ(table.to_text(), "task\nabc...nop\n");
}

TEST(TableTest, CellsCannotMoveTheCursorOrAddLines) {
  Table table{{{"task", Align::kLeft}}};
  table.add_row({"a\nb\x1b[2J\xC2\x9B"});
  EXPECT_EQ(table.to_text(), "task\na\\nb\\x1b[2J\\u009b\n");
}

TEST(TableTest, MegabyteNameTakesOneShortLine) {
  Table table{{{"task", Align::kLeft, 40}}};
  table.add_row({std::string(1'000'000, 'x')});
  EXPECT_EQ(table.to_text().size(), 5U + 41U);
}

TEST(DisplayWidthTest, CountsTerminalColumns) {
  EXPECT_EQ(display_width("abc"), 3U);
  EXPECT_EQ(display_width("gr\xC3\xBC\xC3\x9F"), 4U);        // two-byte letters
  EXPECT_EQ(display_width("e\xCC\x81"), 1U);                 // combining acute accent
  EXPECT_EQ(display_width("\xE6\xBC\xA2\xE5\xAD\x97"), 4U);  // two ideographs
  EXPECT_EQ(display_width("\xF0\x9F\x98\x80"), 2U);          // an emoji
}

TEST(CutInMiddleTest, NeverCutsInsideACharacter) {
  const std::string ideographs = "\xE6\xBC\xA2\xE6\xBC\xA2\xE6\xBC\xA2\xE6\xBC\xA2\xE6\xBC\xA2";  // 10 columns
  EXPECT_EQ(cut_in_middle(ideographs, 10), ideographs);
  EXPECT_EQ(cut_in_middle(ideographs, 8), "\xE6\xBC\xA2...\xE6\xBC\xA2");  // 3 and 2 columns are left, 2 and 2 fit
  for (std::size_t width = 0; width < 10; ++width) EXPECT_LE(display_width(cut_in_middle(ideographs, width)), width);
}

TEST(CellTest, ANumberIsThereBesideWhatPeopleRead) {
  const Cell time{Duration{1'500}};
  EXPECT_EQ(time.text(), "1.500 us");
  EXPECT_EQ(time.number(), Cell::Number{std::int64_t{1'500}});
  EXPECT_EQ(time.unit(), Unit::kNanoseconds);
  EXPECT_EQ(signed_percent_cell(-0.25).text(), "-25.00 %");
  EXPECT_EQ(signed_percent_cell(-0.25).number(), Cell::Number{-0.25});
  EXPECT_EQ(Cell{7}.text(), "7");
  EXPECT_EQ(nanoseconds_cell(Duration{1'500}).text(), "1500");
}

TEST(CellTest, ATextIsNoNumberHoweverItLooks) {
  EXPECT_FALSE(Cell{"12"}.is_number());
  EXPECT_FALSE(Cell{"12"}.is_absent());
  EXPECT_TRUE(Cell{"-"}.is_absent());
  EXPECT_FALSE(Cell{0}.is_absent());
}

TEST(PercentTest, RatiosAreShownWithSignAndUnit) {
  EXPECT_EQ(signed_percent(0.01234), "+1.23 %");
  EXPECT_EQ(signed_percent(-0.004), "-0.40 %");
  EXPECT_EQ(signed_percent(0.00001), "0.00 %");
  EXPECT_EQ(signed_percent(-0.00001), "0.00 %");
  EXPECT_EQ(percent(0.1234), "12.3 %");
}

}  // namespace
}  // namespace stepsim::sim
