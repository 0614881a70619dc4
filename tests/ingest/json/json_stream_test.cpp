#include "ingest/json/json_stream.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <string_view>

namespace stepsim::ingest {
namespace {

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
  for (const std::string_view text :
       {"", "-", ".5", "5.", "1e", "1e+", "0x1", "01", "1 ", "nan", "1e19", "9223372036854775808"}) {
    EXPECT_FALSE(scaled_decimal(text, 0).has_value()) << text;
  }
  EXPECT_EQ(scaled_decimal("9223372036854775807", 0), std::numeric_limits<std::int64_t>::max());
  EXPECT_FALSE(scaled_decimal("9223372036854775807.5", 0).has_value());
}

TEST(JsonStreamTest, ReadsAcrossTheEdgesOfItsBuffer) {
  // Texts of every length up to 70 around the buffer's 65,536 bytes must come out whole.
  for (std::size_t pad = 65'500; pad < 65'570; ++pad) {
    const std::string text = "[\"" + std::string(pad, 'x') + "\", 12345, \"\\u00e9\\ud83d\\ude00\"]";
    const auto source = ByteSource::from_memory(text, "t");
    TextInput input(*source);
    JsonStream json(input);
    JsonStream::Scope scope;
    json.enter_array(scope);
    ASSERT_TRUE(json.next_element(scope));
    EXPECT_EQ(json.text().size(), pad);
    ASSERT_TRUE(json.next_element(scope));
    EXPECT_EQ(json.number(), "12345");
    ASSERT_TRUE(json.next_element(scope));
    EXPECT_EQ(json.text(), "\xC3\xA9\xF0\x9F\x98\x80");
    EXPECT_FALSE(json.next_element(scope));
    json.expect_end();
  }
}

TEST(JsonStreamTest, SkipsAnyValueAndStopsRightBehindIt) {
  const std::string text = R"({"a": [1, {"b": [[], {}, null, true, false, -1.5e3, "x\"]"]}], "c": 7})";
  const auto source = ByteSource::from_memory(text, "t");
  TextInput input(*source);
  JsonStream json(input);
  JsonStream::Scope scope;
  std::string key;
  json.enter_object(scope);
  ASSERT_TRUE(json.next_member(scope, key));
  json.skip();
  ASSERT_TRUE(json.next_member(scope, key));
  EXPECT_EQ(key, "c");
  EXPECT_EQ(json.number(), "7");
  EXPECT_FALSE(json.next_member(scope, key));
}

}  // namespace
}  // namespace stepsim::ingest
