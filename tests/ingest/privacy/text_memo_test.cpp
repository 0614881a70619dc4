#include "ingest/privacy/scrubber.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace stepsim::ingest {
namespace {

TEST(TextMemoTest, FactsAreThoseOfTheWholeText) {
  // Each text differs from the previous one in one character: the first, the last or one between. One text is empty.
  TextMemo<std::string> memo;
  for (const std::size_t length : std::vector<std::size_t>{0, 1, 3, 7, 8, 9, 15, 16, 17, 40, 512}) {
    for (std::size_t place = 0; place < length; place += length / 7 + 1) {
      std::string text(length, 'a');
      EXPECT_EQ(memo[text], place == 0 ? "" : text);
      memo[text] = text;
      text[place] = 'b';
      EXPECT_EQ(memo[text], "") << "a text that was not looked at yet";
      memo[text] = text;
      EXPECT_EQ(memo[text], text);
    }
  }
  EXPECT_EQ(memo[std::string_view{}], "");
}

TEST(TextMemoTest, TextsThatWereForgottenHaveNoFacts) {
  TextMemo<std::string> memo;
  constexpr int kTexts = 200'000;  // more texts than are kept
  std::size_t known = 0;
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < kTexts; ++i) {
      std::string text = "text " + std::to_string(i);
      std::string& facts = memo[text];
      EXPECT_TRUE(facts.empty() || facts == text);
      if (facts == text) ++known;
      facts = text;
    }
  }
  EXPECT_LT(known, std::size_t{kTexts});
}

TEST(TextMemoTest, TheTableGrowsWithTheTexts) {
  // The cache grows from 4,096 to 32,768 entries. More than 4,096 texts must be known after that, but not all 20,000,
  // because some texts replace others that belong in the same entry.
  TextMemo<int> memo;
  constexpr int kTexts = 20'000;
  for (int i = 0; i < kTexts; ++i) memo[std::to_string(i)] = i + 1;
  int known = 0;
  for (int i = 0; i < kTexts; ++i) known += memo[std::to_string(i)] == i + 1 ? 1 : 0;
  EXPECT_GT(known, 4096);
  EXPECT_LT(known, kTexts);
}

TEST(TextMemoTest, FewLongTextsAreKept) {
  // Many more texts than there are places for: each is that of its own facts, and the last one is known.
  TextMemo<std::string> memo;
  for (int i = 0; i < 1000; ++i) {
    const std::string text = std::string(4000, 'a') + std::to_string(i);
    EXPECT_EQ(memo[text], "");
    memo[text] = text;
    EXPECT_EQ(memo[text], text);
  }
}

TEST(TextMemoTest, TheLongestTextsAreNotKept) {
  TextMemo<int> memo;
  const std::string text(1U << 20U, 'a');
  memo[text] = 1;
  EXPECT_EQ(memo[text], 0);
}

}  // namespace
}  // namespace stepsim::ingest
