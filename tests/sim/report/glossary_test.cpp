#include "sim/report/glossary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace stepsim::sim {
namespace {

using ::testing::EndsWith;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(GlossaryTest, EveryEntryIsComplete) {
  for (const Term& term : glossary()) {
    EXPECT_THAT(std::string(term.definition), EndsWith(".")) << term.name;
    EXPECT_LE(term.definition.size(), 110U) << term.name;
    EXPECT_THAT(std::string(term.more), EndsWith(".")) << term.name;
    for (const std::string& other : list_of_names(term.also)) EXPECT_THAT(other, Not(IsEmpty())) << term.name;
  }
}

TEST(GlossaryTest, ANameMeansOneThing) {
  std::map<std::string_view, int> entries;
  for (const Term& term : glossary()) ++entries[term.name];
  for (const auto& [name, count] : entries) EXPECT_EQ(count, 1) << name;
}

TEST(GlossaryTest, PicturesFitOnATerminal) {
  constexpr std::size_t kMostLines = 8;
  constexpr std::size_t kMostColumns = 72;
  for (const Term& term : glossary()) {
    std::size_t lines = 0;
    for (std::string_view rest = term.picture; !rest.empty(); ++lines) {
      const std::size_t end = rest.find('\n');
      ASSERT_NE(end, std::string_view::npos) << term.name << ": the last line has no end";
      EXPECT_LE(end, kMostColumns) << term.name;
      rest.remove_prefix(end + 1);
    }
    EXPECT_LE(lines, kMostLines) << term.name;
  }
}

TEST(GlossaryTest, OtherNamesAreDividedAtCommas) {
  EXPECT_THAT(list_of_names("all idle, idle share"), ::testing::ElementsAre("all idle", "idle share"));
  EXPECT_THAT(list_of_names(""), IsEmpty());
}

}  // namespace
}  // namespace stepsim::sim
