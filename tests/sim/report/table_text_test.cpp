#include "sim/report/table_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "model/base/text.h"
#include "sim/report/terminal_text.h"

namespace stepsim::sim {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(TableTextTest, AlignsColumnsUnderTheirHeadings) {
  Table table{{{"name", Align::kLeft}, {"time"}}};
  table.add_row({"a", "1.5 ms"});
  table.add_row({"longer", "12 ms"});
  EXPECT_EQ(to_text(table),
            "name      time\n"
            "a       1.5 ms\n"
            "longer   12 ms\n");
}

TEST(TableTextTest, LinesHaveNoTrailingBlanks) {
  Table table{{{"a"}, {"name", Align::kLeft}}};
  table.add_row({"1", "long name"});
  table.add_row({"2", ""});
  EXPECT_EQ(to_text(table), "a  name\n1  long name\n2\n");
}

TEST(TableTextTest, CellsCannotMoveTheCursorOrAddLines) {
  Table table{{{"task", Align::kLeft}}};
  table.add_row({"a\nb\x1b[2J\xC2\x9B"});
  EXPECT_EQ(to_text(table), "task\na\\nb\\x1b[2J\\u009b\n");
}

TEST(TableTextTest, KernelsHaveShortNamesUnlessTheStyleIsFull) {
  const std::string add = "void n::elementwise_kernel<4, n::Add<float> >(int, n::Add<float>)";
  Table table{{{"task", Align::kLeft}, {"time"}}};
  table.add_row({add, "1"});
  table.add_row({"aten::add", "2"});
  EXPECT_THAT(to_text(table), HasSubstr("elementwise_kernel<Add<float>>     1\n"));
  EXPECT_THAT(to_text(table, {.full = true}), HasSubstr(add + "     1\n"));
}

TEST(TableTextTest, LongNamesAreLastWhereLinesHaveNoLimit) {
  Table table{{{"task", Align::kLeft}, {"time"}}};
  table.add_row({std::string(81, 'a'), "12 ms"});
  EXPECT_EQ(to_text(table), " time  task\n12 ms  " + std::string(81, 'a') + "\n");
  EXPECT_THAT(to_text(table, {.width = 100}), HasSubstr("a  12 ms\n"));
}

TEST(TableTextTest, NamesAreShortenedOnlyAsFarAsNeeded) {
  Table table{{{"task", Align::kLeft}, {"by", Align::kLeft}}};
  table.add_row({"0123456789012345678901234567890123456789", "0123456789012345678901234"});
  EXPECT_THAT(to_text(table, {.width = 67}), HasSubstr("0123456789012345678901234567890123456789  01234567890"));
  EXPECT_THAT(to_text(table, {.width = 64}), HasSubstr("012345678901234567\u2026234567890123456789"))
      << "the widest first";
  EXPECT_THAT(to_text(table, {.width = 64}), HasSubstr("  0123456789012345678901234\n"));
}

TEST(TableTextTest, ColumnsAreLeftOutByTheirUse) {
  Table table{
      {{"task", Align::kLeft}, {"lane", Align::kRight, Use::kDetail}, {"by", Align::kRight, Use::kHelp}, {"time"}}};
  table.add_row({"0123456789012345678", "0123456789", "0123456789", "1"});
  EXPECT_EQ(to_text(table, {.width = 49}), to_text(table));
  const std::string narrow = to_text(table, {.width = 48});
  EXPECT_THAT(narrow, HasSubstr("left out: lane; a wider"));
  EXPECT_THAT(narrow, HasSubstr("by  time\n"));
  const std::string narrower = to_text(table, {.width = 30});
  EXPECT_THAT(narrower, HasSubstr("left out: lane, by; a"));
  EXPECT_THAT(narrower, HasSubstr("task                 time\n"));
}

TEST(TableTextTest, AnExtraColumnIsLeftOutBeforeANameIsShortened) {
  Table table{{{"start", Align::kRight, Use::kExtra}, {"task", Align::kLeft}, {"by", Align::kLeft}}};
  table.add_row({"1.5 ms", "0123456789012345678901234567890123456789", "by"});
  EXPECT_EQ(to_text(table, {.width = 46}),
            "task                                      by\n"
            "0123456789012345678901234567890123456789  by\n"
            "left out: start; a wider terminal or -o FILE\n"
            "shows it\n");
}

TEST(TableTextTest, ColumnsOfZerosAreLeftOutFirst) {
  Table table{{{"task", Align::kLeft}, {"waiting"}, {"lane", Align::kRight, Use::kDetail}}};
  table.add_row({"0123456789012345678", Duration{}, "0123456789"});
  EXPECT_THAT(to_text(table, {.width = 35}), HasSubstr("left out: waiting (all 0);"));
}

TEST(TableTextTest, SentencesGoOnBelow) {
  Table table{{{"n"}, {"reason", Align::kLeft, Use::kMain, true}}};
  table.add_row({"1", "because of the many words of which it is made"});
  EXPECT_EQ(to_text(table, {.width = 33}),
            "n  reason\n"
            "1  because of the many words of\n"
            "   which it is made\n");
}

/// Makes a table of names, numbers and sentences with letters that are zero, one or two columns wide.
Table random_table(std::mt19937& random) {
  constexpr std::u32string_view kLetters = U"abcxyz_:<>(),\u00FC\u6F22\u0301\U0001F600";
  std::vector<Column> columns;
  for (std::size_t left = 1 + random() % 12; left > 0; --left) {
    columns.push_back({"title" + std::to_string(left), random() % 2 == 0 ? Align::kLeft : Align::kRight,
                       static_cast<Use>(random() % 3), random() % 5 == 0});
  }
  Table table(columns);
  for (std::size_t rows = random() % 8; rows > 0; --rows) {
    std::vector<Cell> cells;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (random() % 2 == 0) {
        cells.emplace_back(Duration{static_cast<std::int64_t>(random() * (random() % 100))});
        continue;
      }
      std::string text;
      for (std::size_t letters = random() % (random() % 6 == 0 ? 400 : 20); letters > 0; --letters) {
        append_utf8(text, kLetters[random() % kLetters.size()]);
        if (random() % 9 == 0) text += ' ';
      }
      cells.emplace_back(text);
    }
    table.add_row(cells);
  }
  return table;
}

TEST(TableTextTest, NoLineIsWiderThanTheTerminal) {
  std::mt19937 random(7);
  for (int i = 0; i < 100; ++i) {
    const Table table = random_table(random);
    for (std::size_t width = 60; width <= 200; width += 1 + random() % 9) {
      std::string text = to_text(table, {.width = width, .color = false});
      for (std::size_t end = 0; (end = text.find('\n')) != std::string::npos; text.erase(0, end + 1))
        ASSERT_LE(display_width(std::string_view(text).substr(0, end)), width) << text.substr(0, end);
    }
  }
}

TEST(TableTextTest, ColourChangesNoLetter) {
  Table table{{{"task", Align::kLeft}, {"lane", Align::kRight, Use::kDetail}}};
  table.add_row({"0123456789012345678", "0123456789"});
  const TextStyle plain{.width = 25};
  const TextStyle colored{.width = 25, .color = true};
  std::string text = to_text(table, colored);
  EXPECT_THAT(text, HasSubstr("\x1b["));
  for (std::size_t at = 0; (at = text.find('\x1b')) != std::string::npos;) text.erase(at, text.find('m', at) + 1 - at);
  EXPECT_EQ(text, to_text(table, plain));
  EXPECT_THAT(to_text(table, plain), Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace stepsim::sim
