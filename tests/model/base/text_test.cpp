#include "model/base/text.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace stepsim {
namespace {

TEST(ShownTest, PrintableTextIsUnchanged) {
  EXPECT_EQ(shown("void at::native::kernel<float, 4>(int)"), "void at::native::kernel<float, 4>(int)");
  EXPECT_EQ(shown("größe 大きさ 😀"), "größe 大きさ 😀");
  EXPECT_EQ(shown(""), "");
}

TEST(ShownTest, LineEndsAndTabsAreNamed) { EXPECT_EQ(shown("a\nb\rc\td"), "a\\nb\\rc\\td"); }

TEST(ShownTest, C0AndDelAreEscaped) {
  EXPECT_EQ(shown("\x1b[31m"), "\\x1b[31m");
  EXPECT_EQ(shown(std::string_view{"\0\x07\x7f", 3}), "\\x00\\x07\\x7f");
}

TEST(ShownTest, C1IsEscapedBecauseATerminalTakesItForEscapeSequences) {
  EXPECT_EQ(shown("\xc2\x80\xc2\x9b\xc2\x9f"), "\\u0080\\u009b\\u009f");
  EXPECT_EQ(shown("\xc2\xa0"), "\xc2\xa0") << "U+00A0 is no control";
}

TEST(ShownTest, ControlsOfWritingDirectionAreEscaped) {
  // NOLINTBEGIN(misc-misleading-bidirectional)
  EXPECT_EQ(shown("\u202a\u202b\u202c\u202d\u202e"), "\\u202a\\u202b\\u202c\\u202d\\u202e");
  EXPECT_EQ(shown("\u2066\u2067\u2068\u2069"), "\\u2066\\u2067\\u2068\\u2069");
  EXPECT_EQ(shown("\u200e\u200f\u061c"), "\\u200e\\u200f\\u061c");
  // NOLINTEND(misc-misleading-bidirectional)
}

TEST(ShownTest, LineSeparatorsAreEscaped) { EXPECT_EQ(shown("\u2028\u2029"), "\\u2028\\u2029"); }

TEST(ShownTest, BytesThatAreNoUtf8AreShownOneByOne) {
  EXPECT_EQ(shown("\xff"), "\\xff");
  EXPECT_EQ(shown("a\x80z"), "a\\x80z") << "a continuation byte alone";
  EXPECT_EQ(shown("\xc3"), "\\xc3") << "cut short";
  EXPECT_EQ(shown("\xc0\xaf"), "\\xc0\\xaf") << "overlong";
  EXPECT_EQ(shown("\xe0\x80\xaf"), "\\xe0\\x80\\xaf") << "overlong";
  EXPECT_EQ(shown("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "a surrogate";
  EXPECT_EQ(shown("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80") << "above U+10FFFF";
  EXPECT_EQ(shown("\xe2\x28\xa1"), "\\xe2(\\xa1") << "what follows is still read";
}

TEST(ShownTest, EveryByteValueComesOutAsOneSafeLine) {
  for (int value = 0; value < 256; ++value) {
    const std::string out = shown(std::string(1, static_cast<char>(value)));
    for (const char c : out) EXPECT_TRUE(c >= 0x20 && c < 0x7f) << "byte " << value;
  }
}

TEST(ShownTest, LongTextIsCutInTheMiddle) {
  // The limit of 20 bytes leaves 17 besides the 3 dots: the first 9 and the last 8.
  EXPECT_EQ(shown("abcdefghijklmnopqrstuvwxyz", 20), "abcdefghi...stuvwxyz");
  EXPECT_EQ(shown("abcdefghijklmnopqrst", 20), "abcdefghijklmnopqrst");
}

TEST(ShownTest, CutNeverSplitsACharacterNorAnEscape) {
  // With a limit of 10 bytes, 4 remain before the dots and 3 after them. "ä" takes 2 bytes, so one of the 3 stays
  // unused. "\xff" is shown as 4 characters, so with a limit of 12 only one fits on each side.
  EXPECT_EQ(shown("ääääääääää", 10), "ää...ä");
  EXPECT_EQ(shown("\xff\xff\xff\xff\xff\xff", 12), "\\xff...\\xff");
}

TEST(ShownTest, TextThatGrowsPastTheLimitByEscapingIsCut) {
  EXPECT_LE(shown(std::string(150, '\x1b')).size(), 200U);
  EXPECT_LE(shown(std::string(10'000'000, '\x80')).size(), 200U);
}

TEST(ShownTest, LimitsTooSmallForAnythingLeaveTheDots) {
  EXPECT_EQ(shown("abcdef", 3), "...");
  EXPECT_EQ(shown("abcdef", 0), "...");
}

constexpr std::size_t kNames = 4;
const std::array<std::string, kNames> kKnown{"replay", "critical-path", "convert", "network"};

TEST(NearestNameTest, OneLetterWrongMissingOrExtraIsForgiven) {
  EXPECT_EQ(nearest_name("repley", kKnown), "replay");
  EXPECT_EQ(nearest_name("relay", kKnown), "replay");
  EXPECT_EQ(nearest_name("replayy", kKnown), "replay");
  EXPECT_EQ(nearest_name("criticalpath", kKnown), "critical-path");
}

TEST(NearestNameTest, TwoNeighboursSwappedAreOneEdit) {
  const std::array<std::string, 1> known{"ids"};
  EXPECT_EQ(nearest_name("isd", known), "ids") << "three letters allow one edit";
}

TEST(NearestNameTest, WhatIsTooFarIsNotMeant) {
  EXPECT_EQ(nearest_name("sweep", kKnown), std::nullopt);
  EXPECT_EQ(nearest_name("", kKnown), std::nullopt);
}

TEST(NearestNameTest, NearestWinsAndTheFirstOfEquals) {
  const std::array<std::string, 3> known{"rank", "ranks", "tank"};
  EXPECT_EQ(nearest_name("ranks", known), "ranks");
  EXPECT_EQ(nearest_name("bank", known), "rank");
}

TEST(NearestNameTest, HugeWordIsDismissedByItsLength) {
  EXPECT_EQ(nearest_name(std::string(50'000'000, 'x'), kKnown), std::nullopt);
}

TEST(OneOfTest, LastTwoAreJoinedByOr) {
  const std::array<std::string, 3> words{"a", "b", "c"};
  EXPECT_EQ(one_of(words), "a, b or c");
  EXPECT_EQ(one_of(std::span{words}.first(2)), "a or b");
  EXPECT_EQ(one_of(std::span{words}.first(1)), "a");
  EXPECT_EQ(one_of({}), "");
}

TEST(NaturalLessTest, NumbersInNamesOrderByTheirValue) {
  EXPECT_TRUE(natural_less("rank2", "rank10"));
  EXPECT_FALSE(natural_less("rank10", "rank2"));
  EXPECT_TRUE(natural_less("a/9/0", "a/10/0"));
  EXPECT_TRUE(natural_less("rank", "rank0"));
  EXPECT_FALSE(natural_less("rank1", "rank1"));
  EXPECT_NE(natural_less("rank01", "rank1"), natural_less("rank1", "rank01"));
}

TEST(JoinedTest, ItemsHaveASeparatorBetweenThem) {
  EXPECT_EQ(joined(std::array<std::string, 3>{"a", "", "c"}), "a, , c");
  EXPECT_EQ(joined(std::array<std::string, 1>{"a"}), "a");
  EXPECT_EQ(joined(std::array<std::string, 0>{}), "");
  EXPECT_EQ(joined(
                std::array{1, 2}, [](int n) { return std::to_string(n); }, "+"),
            "1+2");
}

TEST(AddItemTest, FirstItemHasNoSeparator) {
  std::string list;
  for (const char* item : {"a", "b", "c"}) add_item(list, item);
  EXPECT_EQ(list, "a, b, c");
}

}  // namespace
}  // namespace stepsim
