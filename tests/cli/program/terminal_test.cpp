#include "cli/program/terminal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "model/base/error.h"

namespace stepsim::cli {
namespace {

TEST(ColorTest, WordsAreThoseOfHelp) {
  EXPECT_EQ(parse_color("auto"), ColorWhen::kAuto);
  EXPECT_EQ(parse_color("always"), ColorWhen::kAlways);
  EXPECT_EQ(parse_color("never"), ColorWhen::kNever);
  EXPECT_THAT([] { static_cast<void>(parse_color("alway")); },
              ::testing::ThrowsMessage<UsageError>(
                  "unknown value of --color 'alway'; did you mean 'always'? expected auto, always or never"));
}

TEST(ColorTest, IsFoundInArgumentsThatNobodyParsed) {
  EXPECT_EQ(color_wanted(std::vector<std::string>{"replay", "--color", "never"}), ColorWhen::kNever);
  EXPECT_EQ(color_wanted(std::vector<std::string>{"replay", "--color=always"}), ColorWhen::kAlways);
  EXPECT_EQ(color_wanted(std::vector<std::string>{"replay", "--color"}), ColorWhen::kAuto);
  EXPECT_EQ(color_wanted(std::vector<std::string>{"replay", "--colors=never"}), ColorWhen::kAuto);
}

TEST(FoldedHelpTest, WhatFollowsStandsBelowTheTextOfItsLine) {
  EXPECT_EQ(folded_help("Options:\n"
                        "  --job FILE    what the traces cannot say about the job\n"
                        "  --json        one object\n",
                        40),
            "Options:\n"
            "  --job FILE    what the traces cannot\n"
            "                say about the job\n"
            "  --json        one object\n");
}

TEST(FoldedHelpTest, ParagraphsStayAtTheirMargin) {
  EXPECT_EQ(folded_help("one two three four five six seven\n", 24), "one two three four five\nsix seven\n");
  EXPECT_EQ(folded_help("  one two three four five six seven\n", 24), "  one two three four\n  five six seven\n");
}

TEST(FoldedHelpTest, EmptyLinesStay) { EXPECT_EQ(folded_help("a\n\nb\n", 20), "a\n\nb\n"); }

}  // namespace
}  // namespace stepsim::cli
