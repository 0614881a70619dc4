#include "model/units.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace stepsim {
namespace {

using ::testing::HasSubstr;

template <class Parse>
std::string message_of(Parse parse, std::string_view text) {
  try {
    static_cast<void>(parse(text));
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(DurationTest, EveryUnitIsExactToTheNanosecond) {
  EXPECT_EQ(parse_duration("20ns").count(), 20);
  EXPECT_EQ(parse_duration("5us").count(), 5'000);
  EXPECT_EQ(parse_duration("1.5ms").count(), 1'500'000);
  EXPECT_EQ(parse_duration("2s").count(), 2'000'000'000);
  EXPECT_EQ(parse_duration("-20ns").count(), -20);
  EXPECT_EQ(parse_duration("0").count(), 0);
}

TEST(DurationTest, DigitsThatADoubleWouldRoundAreKept) {
  // 9007199254.740993 s is 2^53 + 1 ns: the first integer that no double holds.
  EXPECT_EQ(parse_duration("9007199.254740993s").count(), 9'007'199'254'740'993);
}

TEST(BytesTest, BinaryAndDecimalPrefixesDiffer) {
  EXPECT_EQ(parse_bytes("64KiB").count(), 65'536);
  EXPECT_EQ(parse_bytes("64kB").count(), 64'000);
}

TEST(BytesTest, BareNumberIsRefusedWithTheAcceptedForms) {
  EXPECT_THAT(message_of(parse_bytes, "64"), HasSubstr("the unit is missing"));
  EXPECT_THAT(message_of(parse_bytes, "64"), HasSubstr("64KiB or 25MB"));
}

TEST(BandwidthTest, BitsAreAnEighthOfBytes) {
  EXPECT_EQ(parse_bandwidth("25Gb/s").bytes_per_second(), 25e9 / 8);
  EXPECT_EQ(parse_bandwidth("3GB/s").bytes_per_second(), 3e9);
}

}  // namespace
}  // namespace stepsim
