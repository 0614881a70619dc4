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

TEST(PercentTest, RatiosAreShownWithSignAndUnit) {
  EXPECT_EQ(signed_percent(0.01234), "+1.23 %");
  EXPECT_EQ(signed_percent(-0.004), "-0.40 %");
  EXPECT_EQ(signed_percent(0.00001), "0.00 %");
  EXPECT_EQ(signed_percent(-0.00001), "0.00 %");
  EXPECT_EQ(percent(0.1234), "12.3 %");
}

}  // namespace
}  // namespace stepsim::sim
