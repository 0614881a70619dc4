#include "model/base/units.h"
#include "tests/thrown_by.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>
#include <string>

namespace stepsim {
namespace {

using stepsim::testing::thrown_by;

using ::testing::HasSubstr;

constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();

/// Returns the message with which `parse` refuses `text`; empty if it accepts the text.
template <class Parse>
std::string refusal(Parse parse, std::string_view text) {
  return thrown_by<std::invalid_argument>([&] { return parse(text); }, "");
}

TEST(DurationTest, EveryUnitIsTakenToTheNanosecond) {
  EXPECT_EQ(parse_duration("20ns").count(), 20);
  EXPECT_EQ(parse_duration("5us").count(), 5'000);
  EXPECT_EQ(parse_duration("1.5ms").count(), 1'500'000);
  EXPECT_EQ(parse_duration("2s").count(), 2'000'000'000);
}

TEST(DurationTest, SignIsTaken) {
  EXPECT_EQ(parse_duration("-20ns").count(), -20);
  EXPECT_EQ(parse_duration("+20ns").count(), 20);
  EXPECT_EQ(parse_duration("-0.5us").count(), -500);
}

TEST(DurationTest, BareZeroNeedsNoUnit) {
  EXPECT_EQ(parse_duration("0").count(), 0);
  EXPECT_EQ(parse_duration("0.0").count(), 0);
}

TEST(DurationTest, BlanksBeforeTheUnitAreTaken) { EXPECT_EQ(parse_duration("5 us").count(), 5'000); }

TEST(DurationTest, DigitsThatADoubleWouldRoundAreKept) {
  // 2^53 + 1 = 9007199254740993 is the first integer that a double cannot represent.
  EXPECT_EQ(parse_duration("9007199.254740993s").count(), 9'007'199'254'740'993);
}

TEST(DurationTest, LargestIsTakenAndOneMoreIsRefused) {
  // The largest count is 2^63 - 1 = 9223372036854775807.
  EXPECT_EQ(parse_duration("9223372036.854775807s").count(), kLargest);
  EXPECT_THAT(refusal(parse_duration, "9223372036.854775808s"), HasSubstr("too"));
  EXPECT_THAT(refusal(parse_duration, "9223372037s"), HasSubstr("too large"));
}

TEST(DurationTest, ZerosThatEndAFractionDoNotCount) {
  EXPECT_EQ(parse_duration("1.50000000000000000000000000000us").count(), 1'500);
}

TEST(DurationTest, FractionOfANanosecondIsRefused) {
  EXPECT_THAT(refusal(parse_duration, "0.5ns"), HasSubstr("not a whole number of ns"));
  EXPECT_THAT(refusal(parse_duration, "1.0000000001s"), HasSubstr("not a whole number of ns"));
}

TEST(DurationTest, RefusalShowsWhatWasFoundAndWhatIsAccepted) {
  EXPECT_EQ(refusal(parse_duration, "5"),
            "'5' is not a duration: the unit is missing; expected a number with ns, us, ms or s, such as 5us or 1.5ms");
  EXPECT_THAT(refusal(parse_duration, "5min"), HasSubstr("'min' is not a valid unit"));
  EXPECT_THAT(refusal(parse_duration, "fast"), HasSubstr("does not start with a number"));
}

TEST(DurationTest, WhatOnlyLooksLikeANumberIsRefused) {
  for (const std::string_view text :
       {"", " 5us", ".5us", "-", "-us", "1e3us", "1.5.5us", "5us ", "5US", "0x5us", "nan", "infs"}) {
    EXPECT_NE(refusal(parse_duration, text), "") << '"' << text << '"';
  }
}

TEST(DurationTest, RefusalShowsHostileTextEscapedAndCut) {
  const std::string refused = refusal(parse_duration, "\x1b[2J" + std::string(10'000, 'x'));
  EXPECT_THAT(refused, HasSubstr("\\x1b[2J"));
  EXPECT_LT(refused.size(), 250U);
}

TEST(DurationTest, HundredsOfDigitsAreRefusedNotWrapped) {
  EXPECT_THAT(refusal(parse_duration, std::string(400, '9') + "ns"), HasSubstr("too many digits"));
  EXPECT_THAT(refusal(parse_duration, "0." + std::string(400, '0') + "1s"), HasSubstr("too many decimals"));
}

TEST(BytesTest, BinaryAndDecimalPrefixesDiffer) {
  EXPECT_EQ(parse_bytes("0B").count(), 0);
  EXPECT_EQ(parse_bytes("64kB").count(), 64'000);
  EXPECT_EQ(parse_bytes("25MB").count(), 25'000'000);
  EXPECT_EQ(parse_bytes("3GB").count(), 3'000'000'000);
  EXPECT_EQ(parse_bytes("2TB").count(), 2'000'000'000'000);
  EXPECT_EQ(parse_bytes("64KiB").count(), 65'536);
  EXPECT_EQ(parse_bytes("1MiB").count(), 1'048'576);
  EXPECT_EQ(parse_bytes("1GiB").count(), 1'073'741'824);
  EXPECT_EQ(parse_bytes("1TiB").count(), 1'099'511'627'776);
}

TEST(BytesTest, FractionThatIsAWholeNumberOfBytesIsTaken) {
  EXPECT_EQ(parse_bytes("1.5MiB").count(), 1'572'864);  // 1.5 * 2^20 bytes
  EXPECT_EQ(parse_bytes("0.5KiB").count(), 512);
}

TEST(BytesTest, FractionOfAByteIsRefused) {
  EXPECT_THAT(refusal(parse_bytes, "0.3KiB"), HasSubstr("not a whole number of B"));  // it is 307.2 bytes
}

TEST(BytesTest, NegativeSizeIsRefused) { EXPECT_THAT(refusal(parse_bytes, "-1B"), HasSubstr("it is negative")); }

TEST(BytesTest, BareNumberIsRefusedWithTheAcceptedForms) {
  EXPECT_THAT(refusal(parse_bytes, "64"), HasSubstr("the unit is missing"));
  EXPECT_THAT(refusal(parse_bytes, "64"), HasSubstr("64KiB or 25MB"));
}

TEST(UnitsTest, OtherSpellingsOfAUnitAreRead) {
  EXPECT_EQ(parse_duration("10\u00b5s").count(), 10'000);
  EXPECT_EQ(parse_duration("10\u03bcs").count(), 10'000);
  EXPECT_EQ(parse_bandwidth("25Gbps"), parse_bandwidth("25Gb/s"));
  EXPECT_EQ(parse_bandwidth("3GBps"), parse_bandwidth("3GB/s"));
}

TEST(UnitsTest, AUnitInTheWrongCaseIsAnsweredWithTheRightOnes) {
  EXPECT_THAT(refusal(parse_bandwidth, "25gb/s"),
              HasSubstr("'gb/s' is not a valid unit; did you mean 'Gb/s' or 'GB/s'?"));
  EXPECT_THAT(refusal(parse_bytes, "64mb"), HasSubstr("'mb' is not a valid unit; did you mean 'MB'?"));
  EXPECT_THAT(refusal(parse_duration, "5US"), HasSubstr("'US' is not a valid unit; did you mean 'us'?"));
}

TEST(UnitsTest, BusAfterARateSaysThatItWasMeasured) {
  EXPECT_EQ(parse_link_rate("4.13GB/s bus").rate, parse_bandwidth("4.13GB/s"));
  EXPECT_TRUE(parse_link_rate("4.13GB/s bus").is_bus);
  EXPECT_FALSE(parse_link_rate("4.13GB/s").is_bus);
  EXPECT_THAT(refusal(parse_link_rate, "4.13GB/s busy"), HasSubstr("'GB/s busy' is not a valid unit"));
  EXPECT_THAT(refusal(parse_bandwidth, "4.13GB/s bus"), HasSubstr("'GB/s bus' is not a valid unit"));
}

TEST(BytesTest, BitsAreNoSize) { EXPECT_THAT(refusal(parse_bytes, "64Mb"), HasSubstr("'Mb' is not a valid unit")); }

TEST(BandwidthTest, BitsAreAnEighthOfBytes) {
  EXPECT_EQ(parse_bandwidth("25Gb/s").bytes_per_second(), 25e9 / 8);
  EXPECT_EQ(parse_bandwidth("3GB/s").bytes_per_second(), 3e9);
  EXPECT_EQ(parse_bandwidth("100b/s").bytes_per_second(), 12.5);
  EXPECT_EQ(parse_bandwidth("2.5kB/s").bytes_per_second(), 2'500);
}

TEST(BandwidthTest, ZeroNegativeAndUnitlessAreRefused) {
  EXPECT_THAT(refusal(parse_bandwidth, "0Gb/s"), HasSubstr("not above zero"));
  EXPECT_THAT(refusal(parse_bandwidth, "-1Gb/s"), HasSubstr("not above zero"));
  EXPECT_THAT(refusal(parse_bandwidth, "0"), HasSubstr("the unit is missing"));
  EXPECT_THAT(refusal(parse_bandwidth, "25G"), HasSubstr("25Gb/s or 3GB/s"));
}

TEST(TransferTimeTest, WholeNanosecondsAreExact) {
  // 1,000 B at 12.5e9 B/s take 80 ns.
  EXPECT_EQ(transfer_time(Bytes{1'000}, Bandwidth::from_bytes_per_second(12.5e9)).count(), 80);
}

TEST(TransferTimeTest, BegunNanosecondCounts) {
  EXPECT_EQ(transfer_time(Bytes{1}, Bandwidth::from_bytes_per_second(12.5e9)).count(), 1);
  EXPECT_EQ(transfer_time(Bytes{10}, Bandwidth::from_bytes_per_second(3e9)).count(), 4);  // 10/3 ns, rounded up
  EXPECT_EQ(transfer_time(Bytes{}, Bandwidth::from_bytes_per_second(3e9)).count(), 0);
}

TEST(TransferTimeTest, SizesPastTheRangeOfADoubleStayExact) {
  // At 1e9 B/s a byte takes a nanosecond, so 2^53 + 1 bytes take 2^53 + 1 ns, which a double cannot represent.
  EXPECT_EQ(transfer_time(Bytes{9'007'199'254'740'993}, Bandwidth::from_bytes_per_second(1e9)).count(),
            9'007'199'254'740'993);
}

TEST(TransferTimeTest, LongerThanTimeItselfIsTheLongestTime) {
  EXPECT_EQ(transfer_time(Bytes{kLargest}, Bandwidth::from_bytes_per_second(1)), Duration::max());
  EXPECT_EQ(transfer_time(Bytes{kLargest}, Bandwidth::from_bytes_per_second(0.5)), Duration::max());
}

TEST(DurationTextTest, UnitIsChosenByTheValue) {
  EXPECT_EQ(to_text(Duration{0}), "0 ns");
  EXPECT_EQ(to_text(Duration{999}), "999 ns");
  EXPECT_EQ(to_text(Duration{1'000}), "1 us");
  EXPECT_EQ(to_text(Duration{1'234'000}), "1.234 ms");
  EXPECT_EQ(to_text(Duration{-1'234'000}), "-1.234 ms");
  EXPECT_EQ(to_text(Duration{12'345'678'900'000}), "12,346 s");
}

TEST(DurationTextTest, FourDigitsAreKeptWhereTheyRound) {
  EXPECT_EQ(to_text(Duration{534'062'118}), "534.1 ms");
  EXPECT_EQ(to_text(Duration{155'986'000}), "156.0 ms");
  EXPECT_EQ(to_text(Duration{19'900'000}), "19.90 ms") << "as 19.9 ms and 1 ns";
  EXPECT_EQ(to_text(Duration{150'000'000}), "150 ms") << "two digits say all of it";
  EXPECT_EQ(to_text(Duration{18'857'499}), "18.86 ms");
}

TEST(DurationTextTest, RoundingUpToAThousandMovesToTheNextUnit) {
  EXPECT_EQ(to_text(Duration{999'949'999}), "999.9 ms");
  EXPECT_EQ(to_text(Duration{999'950'000}), "1.000 s");
}

TEST(DurationTextTest, ExtremesAreShown) {
  EXPECT_EQ(to_text(Duration::max()), "9,223,372,037 s");
  EXPECT_EQ(to_text(Duration::min()), "-9,223,372,037 s");
}

TEST(BytesTextTest, PrefixIsChosenByTheValue) {
  EXPECT_EQ(to_text(Bytes{999}), "999B");
  EXPECT_EQ(to_text(Bytes{1'000}), "1kB");
  EXPECT_EQ(to_text(Bytes{25'000'000}), "25MB");
  EXPECT_EQ(to_text(Bytes{999'949}), "999.9kB");
  EXPECT_EQ(to_text(Bytes{999'950}), "1MB");
  EXPECT_EQ(to_text(Bytes{kLargest}), "9223372TB");
}

TEST(BandwidthTest, TextHasTheUnitThatKeepsItBelowAThousand) {
  EXPECT_EQ(to_text(Bandwidth::from_bytes_per_second(12)), "12B/s");
  EXPECT_EQ(to_text(Bandwidth::from_bits_per_second(1e9)), "125MB/s");
  EXPECT_EQ(to_text(Bandwidth::from_bytes_per_second(119'624'000)), "119.6MB/s");
  EXPECT_EQ(to_text(Bandwidth::from_bytes_per_second(999'999)), "1MB/s");
  EXPECT_EQ(to_text(Bandwidth::from_bytes_per_second(3.35e12)), "3.35TB/s");
  EXPECT_EQ(to_text(Bandwidth::from_bytes_per_second(2e15)), "2000TB/s");
}

TEST(MicrosecondsTest, HasThreeDecimalsExactToTheNanosecond) {
  EXPECT_EQ(microseconds(Duration{12'345}), "12.345");
  EXPECT_EQ(microseconds(Duration{-1}), "-0.001");
  EXPECT_EQ(microseconds(Duration{12'000}), "12.000");
  EXPECT_EQ(microseconds(Duration::min()), "-9223372036854775.808");
  EXPECT_EQ(short_microseconds(Duration{12'000}), "12");
  EXPECT_EQ(short_microseconds(Duration{12'300}), "12.300");
}

}  // namespace
}  // namespace stepsim
