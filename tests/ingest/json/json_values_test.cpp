#include "ingest/json/json_values.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace stepsim::ingest {

namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

TEST(MicrosecondsTest, DecimalsAreExactToTheNanosecond) {
  EXPECT_EQ(microseconds_as_ns("0"), 0);
  EXPECT_EQ(microseconds_as_ns("12"), 12'000);
  EXPECT_EQ(microseconds_as_ns("12.345"), 12'345);
  EXPECT_EQ(microseconds_as_ns("-0.001"), -1);
  EXPECT_EQ(microseconds_as_ns("\"7.5\""), 7'500);
  // With 16 digits before the point, a double would lose the last nanosecond.
  EXPECT_EQ(microseconds_as_ns("1669783687464671.123"), 1669783687464671123);
  EXPECT_EQ(microseconds_as_ns("4458676524648.797"), 4458676524648797);
  EXPECT_EQ(microseconds_as_ns("9223372036854775.807"), kMax);
}

TEST(MicrosecondsTest, AnyCountOfDigitsIsExact) {
  // The expected value is computed from the parts: w.f microseconds are 1000 w + f x 10^(3 - digits of f) ns.
  std::uint64_t state = 1;
  for (int i = 0; i < 20'000; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;  // Knuth's MMIX generator
    std::int64_t whole = 0;
    const int whole_digits = 1 + static_cast<int>((state >> 33) % 15);
    for (int digit = 0; digit < whole_digits; ++digit)
      whole = whole * 10 + static_cast<std::int64_t>((state >> (digit + 5)) % 10);
    const auto thousandths = static_cast<std::int64_t>((state >> 40) % 1000);
    std::string text = std::to_string(whole) + "." + std::to_string(1000 + thousandths).substr(1);
    EXPECT_EQ(microseconds_as_ns(text), whole * 1000 + thousandths) << text;
    text.pop_back();
    EXPECT_EQ(microseconds_as_ns(text), whole * 1000 + thousandths / 10 * 10) << text;
    EXPECT_EQ(microseconds_as_ns("-" + text), -(whole * 1000 + thousandths / 10 * 10)) << text;
    EXPECT_EQ(microseconds_as_ns(std::to_string(whole)), whole * 1000);
  }
}

TEST(MicrosecondsTest, FractionsOfANanosecondAreRounded) {
  EXPECT_EQ(microseconds_as_ns("1.0004"), 1000);
  EXPECT_EQ(microseconds_as_ns("1.0005"), 1001);
  EXPECT_EQ(microseconds_as_ns("-1.0005"), -1001);
  EXPECT_EQ(microseconds_as_ns("0.00049999999999999999999999"), 0);
  EXPECT_EQ(microseconds_as_ns("1669783687464671.12349999"), 1669783687464671123);
  EXPECT_EQ(microseconds_as_ns("1669783687464671.12350000"), 1669783687464671124);
}

TEST(MicrosecondsTest, ExponentsShiftThePoint) {
  EXPECT_EQ(microseconds_as_ns("1e3"), 1'000'000);
  EXPECT_EQ(microseconds_as_ns("1.5E+2"), 150'000);
  EXPECT_EQ(microseconds_as_ns("2500e-3"), 2'500);
  EXPECT_EQ(microseconds_as_ns("0e999999999999999999"), 0);
  EXPECT_EQ(microseconds_as_ns("1e-999999999999999999"), 0);
  EXPECT_EQ(microseconds_as_ns("1.669783687464671e15"), 1669783687464671000);
}

TEST(MicrosecondsTest, WhatDoesNotFitOrIsNoNumberIsNothing) {
  for (const std::string_view text : {"9223372036854775.808",
                                      "1e16",
                                      "1e300",
                                      "1e999999999999999999",
                                      "99999999999999999999",
                                      "",
                                      "-",
                                      ".",
                                      "e5",
                                      "1e",
                                      "1x",
                                      "0x10",
                                      "nan",
                                      "NaN",
                                      "Infinity",
                                      "true",
                                      "null",
                                      "\"\"",
                                      "\"soon\"",
                                      "{}",
                                      "[1]",
                                      "1 2"}) {
    EXPECT_EQ(microseconds_as_ns(text), std::nullopt) << text;
  }
}

TEST(AsIntegerTest, WholeNumbersInAnySpelling) {
  EXPECT_EQ(as_integer("12"), 12);
  EXPECT_EQ(as_integer("-12"), -12);
  EXPECT_EQ(as_integer("\"12\""), 12);
  EXPECT_EQ(as_integer("12.0"), 12);
  EXPECT_EQ(as_integer("1.2e1"), 12);
  EXPECT_EQ(as_integer("1e18"), 1'000'000'000'000'000'000);
  EXPECT_EQ(as_integer("9223372036854775807"), kMax);
  EXPECT_EQ(as_integer("-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
}

TEST(AsIntegerTest, FractionsAndWhatDoesNotFitAreNothing) {
  for (const std::string_view text :
       {"12.5", "9223372036854775808", "18446744073709551616", "1e19", "0.1", "1e-1", "", "x", "null", "[1]"}) {
    EXPECT_EQ(as_integer(text), std::nullopt) << text;
  }
}

TEST(AsTextTest, StringsAreUnescapedAndOtherScalarsKept) {
  EXPECT_EQ(as_text(R"("a\tb")"), "a\tb");
  EXPECT_EQ(as_text("17"), "17");
  EXPECT_EQ(as_text(""), "");
  EXPECT_EQ(as_text("\""), "\"");
  EXPECT_EQ(as_text(R"("\ud800")"), "\uFFFD");
  EXPECT_EQ(as_text(R"("\ud800\u0041")"), "\uFFFDA");
  EXPECT_EQ(as_text("\"\xe2\x82\""), "\uFFFD\uFFFD");
  EXPECT_EQ(as_text(R"("\")"), "\\");
  EXPECT_EQ(as_text(R"("\u12")"), "\\u12");
}

TEST(ScaledDecimalTest, IsExactWhereADoubleIsNot) {
  EXPECT_EQ(scaled_decimal("1795144007305381.123", 3), 1795144007305381123);
  EXPECT_EQ(scaled_decimal("0.1", 9), 100'000'000);
  EXPECT_EQ(scaled_decimal("1e-05", 9), 10'000);
  EXPECT_EQ(scaled_decimal("-2.5E+1", 0), -25);
  EXPECT_EQ(scaled_decimal("0e99999999999999999999", 9), 0);
}

TEST(ScaledDecimalTest, RoundsHalvesAwayFromZero) {
  EXPECT_EQ(scaled_decimal("0.5", 0), 1);
  EXPECT_EQ(scaled_decimal("0.49999", 0), 0);
  EXPECT_EQ(scaled_decimal("-1.5", 0), -2);
  EXPECT_EQ(scaled_decimal("5e-10", 9), 1);
  EXPECT_EQ(scaled_decimal("4e-10", 9), 0);
  EXPECT_EQ(scaled_decimal("9e-999999999", 9), 0);
}

TEST(ScaledDecimalTest, RefusesWhatIsNoNumberOrBeyond64Bits) {
  for (const std::string_view text : {"", "-", ".", "1e", "1e+", "0x1", "1 ", "nan", "1e19", "9223372036854775808"}) {
    EXPECT_FALSE(scaled_decimal(text, 0).has_value()) << text;
  }
  EXPECT_EQ(scaled_decimal("9223372036854775807", 0), std::numeric_limits<std::int64_t>::max());
  EXPECT_FALSE(scaled_decimal("9223372036854775807.5", 0).has_value());
}

}  // namespace

}  // namespace stepsim::ingest
