#include "model/base/csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "model/base/error.h"
#include "tests/thrown_by.h"

namespace stepsim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string refused(std::string_view text) {
  return testing::thrown_by<InputError>([&] { return parse_csv(text, "runs.csv"); });
}

TEST(CsvTest, CellsAreDividedAtCommas) {
  const CsvTable table = parse_csv("a, b ,c\n1,,3\r\n\n  \n4,5\n", "runs.csv");
  EXPECT_THAT(table.columns.cells, ElementsAre("a", "b", "c"));
  ASSERT_EQ(table.lines.size(), 2U);
  EXPECT_THAT(table.lines[0].cells, ElementsAre("1", "", "3"));
  EXPECT_EQ(table.lines[0].number, 2U);
  EXPECT_THAT(table.lines[1].cells, ElementsAre("4", "5"));
  EXPECT_EQ(table.lines[1].number, 5U);
}

TEST(CsvTest, AQuotedCellHasCommasLineBreaksAndQuotes) {
  const CsvTable table = parse_csv(
      "\xEF\xBB\xBF"
      "name,value\n\"a, \"\"b\"\"\nc\" , 1\nd,2",
      "runs.csv");
  EXPECT_THAT(table.columns.cells, ElementsAre("name", "value"));
  ASSERT_EQ(table.lines.size(), 2U);
  EXPECT_THAT(table.lines[0].cells, ElementsAre("a, \"b\"\nc", "1"));
  EXPECT_EQ(table.lines[1].number, 4U);
}

TEST(CsvTest, DamageIsNamedWithItsLine) {
  EXPECT_THAT(refused(""), HasSubstr("the file is empty"));
  EXPECT_THAT(refused("a,a\n"), HasSubstr("two columns are called 'a'"));
  EXPECT_THAT(refused("a,b\n1,2,3\n"), HasSubstr("runs.csv:2: found 3 cells; expected at most 2"));
  EXPECT_THAT(refused("a\n\"b\n"), HasSubstr("runs.csv:2: a cell begins with a quote that is not closed"));
  EXPECT_THAT(refused("a,b\n\"b\" c,1\n"), HasSubstr("text follows the quote"));
}

}  // namespace
}  // namespace stepsim
