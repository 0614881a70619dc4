#include "cli/sweep/part.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace stepsim::cli {
namespace {

using ::testing::Eq;
using ::testing::Optional;

const Fields kAwkward{"point", "", "tab\tnew\nline \\ back\\t", "\r\x01 \xff end\\"};

std::string without_new_line(std::string line) {
  line.pop_back();
  return line;
}

TEST(SealedLinesTest, FieldsComeBackAsTheyWere) {
  const std::string line = sealed(kAwkward);
  EXPECT_EQ(line.find('\n'), line.size() - 1) << "one line, whatever is in it";
  EXPECT_THAT(unsealed(without_new_line(line)), Optional(Eq(kAwkward)));
}

TEST(SealedLinesTest, LineIsAJsonArrayOfStrings) {
  const std::string line = without_new_line(sealed(kAwkward));
  EXPECT_EQ(line.substr(0, line.rfind(',')),
            R"(["point","","tab\u0009new\u000aline \\ back\\t","\u000d\u0001 \udcff end\\")");
}

TEST(SealedLinesTest, EveryBitThatTurnsIsSeen) {
  const std::string line = without_new_line(sealed({"point", "12", "480000000"}));
  for (std::size_t bit = 0; bit < line.size() * 8; ++bit) {
    std::string damaged = line;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_EQ(unsealed(damaged), std::nullopt) << "bit " << bit;
  }
}

TEST(SealedLinesTest, LineThatIsCutIsToldFromOneThatIsDamaged) {
  const std::string first = sealed({"a"});
  const std::string second = sealed({"b"});
  const std::string all = first + second;
  for (std::size_t length = 0; length <= all.size(); ++length) {
    const SealedLines read = read_sealed(all.substr(0, length));
    const std::size_t whole = length == all.size() ? 2 : length >= first.size() ? 1 : 0;
    EXPECT_EQ(read.lines.size(), whole);
    EXPECT_EQ(read.bytes, whole * first.size());
    EXPECT_EQ(read.cut, length != whole * first.size());
    EXPECT_FALSE(read.damaged);
  }
  std::string damaged = all;
  damaged[0] = 'x';
  EXPECT_TRUE(read_sealed(damaged).damaged) << "another line follows: no kill does this";
}

}  // namespace
}  // namespace stepsim::cli
