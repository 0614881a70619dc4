#include "cli/sweep/part.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace stepsim::cli {
namespace {

using ::testing::Eq;
using ::testing::Optional;

const Fields kAwkward{"point", "", "tab\tnew\nline \\ back\\t", "\r\x01 end\\"};

std::string without_new_line(std::string line) {
  line.pop_back();
  return line;
}

TEST(SealedLinesTest, FieldsComeBackAsTheyWere) {
  const std::string line = sealed(kAwkward);
  EXPECT_EQ(line.find('\n'), line.size() - 1) << "one line, whatever is in it";
  EXPECT_THAT(unsealed(without_new_line(line)), Optional(Eq(kAwkward)));
}

TEST(SealedLinesTest, LineIsAJsonObjectWithAChecksum) {
  const std::string line = sealed({"input", "a \"b\".json", "12"});
  EXPECT_EQ(line, with_seal(R"({"line":"input","values":["a \"b\".json","12"])") + '\n');
  // CRC-64/XZ of "123456789" is 995dc9bbdf1939fa (RevEng's catalogue of CRC algorithms).
  EXPECT_EQ(with_seal("123456789"), R"(123456789,"crc64":"995dc9bbdf1939fa"})");
}

TEST(SealedLinesTest, BytesThatAreNotUtf8AreReplaced) {
  EXPECT_THAT(unsealed(without_new_line(sealed({"input", "a\xff.json"}))),
              Optional(Eq(Fields{"input", "a\uFFFD.json"})));
}

TEST(SealedLinesTest, AnotherObjectWithACorrectChecksumIsDamaged) {
  for (const char* const text :
       {"{", R"({"line":"point")", R"({"values":[])", R"({"line":1,"values":[])", R"({"line":"point","values":[1])",
        R"({"line":"point","values":"1")", R"([{"line":"")"})
    EXPECT_EQ(unsealed(with_seal(text)), std::nullopt) << text;
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
