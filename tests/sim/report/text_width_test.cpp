#include "sim/report/terminal_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "model/base/text.h"

namespace stepsim::sim {
namespace {

using ::testing::ElementsAre;

TEST(DisplayWidthTest, CountsTerminalColumns) {
  EXPECT_EQ(display_width("abc"), 3U);
  EXPECT_EQ(display_width("gr\xC3\xBC\xC3\x9F"), 4U);        // two-byte letters
  EXPECT_EQ(display_width("e\xCC\x81"), 1U);                 // combining acute accent
  EXPECT_EQ(display_width("\xE6\xBC\xA2\xE5\xAD\x97"), 4U);  // two ideographs
  EXPECT_EQ(display_width("\xF0\x9F\x98\x80"), 2U);          // an emoji
}

TEST(CutInMiddleTest, KeepsTheBeginningAndTheEnd) {
  EXPECT_EQ(cut_in_middle("abcdefghi", 9), "abcdefghi");
  EXPECT_EQ(cut_in_middle("abcdefghi", 5), "ab\u2026hi");
  EXPECT_EQ(cut_in_middle("abcdefghi", 1), "\u2026");
  EXPECT_EQ(cut_in_middle("abcdefghi", 0), "");
}

TEST(CutInMiddleTest, NeverCutsInsideACharacter) {
  const std::string ideographs = "\xE6\xBC\xA2\xE6\xBC\xA2\xE6\xBC\xA2\xE6\xBC\xA2\xE6\xBC\xA2";  // 10 columns
  EXPECT_EQ(cut_in_middle(ideographs, 10), ideographs);
  EXPECT_EQ(cut_in_middle(ideographs, 5), "\xE6\xBC\xA2\u2026\xE6\xBC\xA2");
  for (std::size_t width = 0; width < 10; ++width) EXPECT_LE(display_width(cut_in_middle(ideographs, width)), width);
}

TEST(WrappedTest, BreaksAtBlanksButNotWithinAFigure) {
  EXPECT_THAT(wrapped("an iteration takes 534.062 ms, it says", 22),
              ElementsAre("an iteration takes", "534.062 ms, it says"));
  EXPECT_THAT(wrapped("instead of (+108.7 %); yes", 16), ElementsAre("instead of", "(+108.7 %); yes"));
}

TEST(WrappedTest, WithoutAWidthNothingChanges) {
  EXPECT_THAT(wrapped("two  blanks and more", 0), ElementsAre("two  blanks and more"));
  EXPECT_THAT(wrapped("", 0), ElementsAre(""));
  EXPECT_THAT(wrapped("", 10), ElementsAre(""));
}

TEST(WrappedTest, BreaksAWordThatIsLongerThanALine) {
  EXPECT_THAT(wrapped("a bcdefghijk l", 4), ElementsAre("a", "bcde", "fghi", "jk l"));
}

TEST(WrappedTest, LosesNoWordAndNoLineIsWider) {
  std::mt19937 random(1);
  for (int i = 0; i < 200; ++i) {
    std::string text;
    for (std::size_t words = random() % 30; words > 0; --words) {
      for (std::size_t letters = 1 + random() % 12; letters > 0; --letters)
        append_utf8(text, random() % 4 == 0 ? U'\u6F22' : U'x');
      text += words > 1 ? " " : "";
    }
    const std::size_t width = 24 + random() % 60;
    std::string joined;
    for (const std::string_view line : wrapped(text, width)) {
      EXPECT_LE(display_width(line), width);
      joined += joined.empty() ? std::string(line) : " " + std::string(line);
    }
    EXPECT_EQ(joined, text);
  }
}

TEST(FiguresTest, AreNumbersWithAUnit) {
  EXPECT_THAT(figures_in("it takes 1.11 s, from 1.082 s (+108.7 %); 3 steps of 2 ranks, 5 s."),
              ElementsAre("1.11 s", "1.082 s", "+108.7 %", "5 s"));
  EXPECT_THAT(figures_in("step 3 saves; v2 ms"), ElementsAre());
}

}  // namespace
}  // namespace stepsim::sim
