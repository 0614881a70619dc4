#include "ingest/parts/text_table.h"

#include <gtest/gtest.h>

#include <string>

namespace stepsim::ingest {
namespace {

TEST(TextTableTest, EqualTextsHaveOneIdAndIdsCountInOrderOfAppearance) {
  TextTable table;
  EXPECT_EQ(table.intern("b"), TextId{0});
  EXPECT_EQ(table.intern("a"), TextId{1});
  EXPECT_EQ(table.intern("b"), TextId{0});
  EXPECT_EQ(table.text(TextId{1}), "a");
  EXPECT_EQ(table.size(), 2U);
}

TEST(TextTableTest, FindAddsNothing) {
  TextTable table;
  (void)table.intern("known");
  EXPECT_EQ(table.find("known"), TextId{0});
  EXPECT_FALSE(table.find("unknown").valid());
  EXPECT_EQ(table.size(), 1U);
}

TEST(TextTableTest, IdsStayWhenTheTableGrows) {
  TextTable table;
  constexpr std::size_t kTexts = 10'000;  // far more than the 16 slots that the table has at first
  for (std::size_t i = 0; i < kTexts; ++i) (void)table.intern("text " + std::to_string(i));
  for (std::size_t i = 0; i < kTexts; ++i) EXPECT_EQ(table.find("text " + std::to_string(i)), TextId{i});
}

TEST(TextTableTest, TakenTextsLeaveTheTableEmpty) {
  TextTable table;
  (void)table.intern("a");
  EXPECT_EQ(std::move(table).take(), (std::vector<std::string>{"a"}));
}

}  // namespace
}  // namespace stepsim::ingest
