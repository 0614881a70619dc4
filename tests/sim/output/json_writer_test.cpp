#include "sim/output/json_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>

#include "model/base/text.h"
#include "sim/output/write_file.h"
#include "tests/sim/temporary_folder.h"

namespace stepsim::sim {
namespace {

std::string quoted(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

TEST(JsonWriterTest, PlacesCommasAndColons) {
  JsonWriter json;
  json.begin_object().key("a").value(1).key("b").begin_array().value("x").value(true).null().end_array();
  json.key("c").begin_object().end_object().end_object();
  EXPECT_EQ(json.text(), R"({"a":1,"b":["x",true,null],"c":{}})");
}

TEST(JsonWriterTest, IntegersKeepAllTheirDigits) {
  JsonWriter json;
  json.begin_array().value(std::numeric_limits<std::int64_t>::min()).value(std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(json.end_array().text(), "[-9223372036854775808,9223372036854775807]");
}

TEST(JsonWriterTest, DoublesAreShortestAndNeverInfinite) {
  JsonWriter json;
  json.begin_array().value(0.1).value(-0.25).value(1e300).value(std::nan("")).value(HUGE_VAL).end_array();
  EXPECT_EQ(json.text(), "[0.1,-0.25,1e+300,null,null]");
}

TEST(JsonWriterTest, TakeHandsOverWhatPiledUp) {
  JsonWriter json;
  json.begin_array().value(1);
  EXPECT_EQ(json.take(), "[1");
  json.value(2).end_array();
  EXPECT_EQ(json.take(), ",2]");
}

TEST(JsonStringTest, EscapesWhatJsonForbidsAndWhatMovesCursorsOrEndsScripts) {
  EXPECT_EQ(quoted("a\"b\\c\n\r\t"), R"("a\"b\\c\n\r\t")");
  EXPECT_EQ(quoted(std::string_view("\0\x1b\x7f", 3)), "\"\\u0000\\u001b\\u007f\"");
  EXPECT_EQ(quoted("</script>"), "\"\\u003c/script>\"");
  EXPECT_EQ(quoted("\xC2\x9B"), "\"\\u009b\"");      // C1 control sequence introducer
  EXPECT_EQ(quoted("\xE2\x80\xAE"), "\"\\u202e\"");  // right-to-left override NOLINT(misc-misleading-bidirectional)
  EXPECT_EQ(quoted("\u061c\u200e\u2029\u2069"), "\"\\u061c\\u200e\\u2029\\u2069\"");
  EXPECT_EQ(quoted("gr\xC3\xBC\xC3\x9F"), "\"gr\xC3\xBC\xC3\x9F\"");
}

TEST(JsonStringTest, BytesThatAreNotUtf8BecomeReplacementCharacters) {
  EXPECT_EQ(quoted("a\xFFz"), "\"a\xEF\xBF\xBDz\"");
  EXPECT_EQ(quoted("\xC3"), "\"\xEF\xBF\xBD\"");                                  // an incomplete character
  EXPECT_EQ(quoted("\xC0\xAF"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\"");                  // an overlong encoding of '/'
  EXPECT_EQ(quoted("\xED\xA0\x80"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"");  // an encoded surrogate
}

TEST(JsonStringTest, PythonReadsBackEveryCodePoint) {
  if (std::system("python3 -c pass >/dev/null 2>&1") != 0) GTEST_SKIP() << "python3 is not installed";
  // Writes a string with the character and its number for each code point from 0 to U+2FFF and some larger ones.
  const stepsim::testing::TemporaryFolder folder;
  JsonWriter json;
  json.begin_array();
  const auto add = [&json](std::uint32_t code) {
    std::string text;
    if (code < 0x80) {
      text = {static_cast<char>(code)};
    } else if (code < 0x800) {
      text = {static_cast<char>(0xC0U | code >> 6U), static_cast<char>(0x80U | (code & 0x3FU))};
    } else if (code < 0x10000) {
      text = {static_cast<char>(0xE0U | code >> 12U), static_cast<char>(0x80U | (code >> 6U & 0x3FU)),
              static_cast<char>(0x80U | (code & 0x3FU))};
    } else {
      text = {static_cast<char>(0xF0U | code >> 18U), static_cast<char>(0x80U | (code >> 12U & 0x3FU)),
              static_cast<char>(0x80U | (code >> 6U & 0x3FU)), static_cast<char>(0x80U | (code & 0x3FU))};
    }
    json.begin_array().value(code).value(text).end_array();
  };
  for (std::uint32_t code = 0; code < 0x3000; ++code) add(code);
  for (const std::uint32_t code : {0xFFFDU, 0xFFFFU, 0x10000U, 0x1F600U, 0x10FFFFU}) add(code);
  write_file(folder.file("all.json"), json.end_array().text());
  const std::string check =
      "python3 -c 'import json,sys; assert all(chr(c) == t for c, t in json.load(open(sys.argv[1])))' ";
  EXPECT_EQ(std::system((check + folder.file("all.json")).c_str()), 0);
}

}  // namespace
}  // namespace stepsim::sim
