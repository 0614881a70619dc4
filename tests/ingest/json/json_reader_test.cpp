#include "ingest/json/json_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "ingest/bytes/byte_source.h"
#include "model/base/error.h"
#include "tests/thrown_by.h"

namespace stepsim::ingest {
namespace {

using stepsim::testing::thrown_by;

TEST(JsonReaderTest, ReadsAcrossTheEdgesOfItsWindow) {
  // The length of the first string varies, so that the first window ends at each byte of the rest of the text in turn.
  for (std::size_t pad = TextWindow::kInitial - 36; pad < TextWindow::kInitial + 34; ++pad) {
    const std::string text = "[\"" + std::string(pad, 'x') + R"(", 12345, "\u00e9\ud83d\ude00"])";
    const auto source = memory_source(text, "t");
    JsonReader json(*source);
    std::size_t element = 0;
    json.array([&] {
      switch (element++) {
        case 0: EXPECT_EQ(json.text().size(), pad); break;
        case 1: EXPECT_EQ(json.number(), "12345"); break;
        default: EXPECT_EQ(json.text(), "\xC3\xA9\xF0\x9F\x98\x80");
      }
    });
    EXPECT_EQ(element, 3U);
    json.expect_end();
  }
}

TEST(JsonReaderTest, BlanksAtTheEdgeOfTheWindowChangeNothing) {
  for (std::size_t pad = TextWindow::kInitial - 12; pad < TextWindow::kInitial; ++pad) {
    const std::string text = std::string(pad, ' ') + R"({ "a" : 1 , "b" : [ 2 , 3 ] })";
    const auto source = memory_source(text, "t");
    JsonReader json(*source);
    json.skip();
    json.expect_end();
  }
}

TEST(JsonReaderTest, SkipsAnyValueAndStopsRightBehindIt) {
  const std::string text = R"({"a": [1, {"b": [[], {}, null, true, false, -1.5e3, "x\"]"]}], "c": 7})";
  const auto source = memory_source(text, "t");
  JsonReader json(*source);
  std::string last;
  json.object([&](const std::string& key) {
    last = key;
    if (key == "a") return json.skip();
    EXPECT_EQ(json.number(), "7");
  });
  EXPECT_EQ(last, "c");
}

/// Returns the members that scan_object() passes on; "(none)" if it returns false.
std::string members_in(JsonReader& json) {
  std::string members;
  const bool scanned = json.scan_object([&members](json::Scanner& scanner, std::string_view key, const char* p) {
    json::Value value;
    const char* const end = scanner.value_at(p, value);
    if (end != nullptr) ((members += key) += '=') += value.raw;
    return end;
  });
  return scanned ? members : "(none)";
}

TEST(JsonReaderTest, ScansAnObjectAndGoesBackToIt) {
  const std::string text = R"( {"a" : 1, "\u0062": [2, {}]} )";
  const auto source = memory_source(text, "t");
  JsonReader json(*source);
  const std::uint64_t begin = json.offset();
  EXPECT_EQ(members_in(json), R"(a=1\u0062=[2, {}])");
  json.go_back(begin);
  EXPECT_EQ(members_in(json), R"(a=1\u0062=[2, {}])");
  json.expect_end();
}

TEST(JsonReaderTest, ScansNothingButAWholeObject) {
  for (const std::string_view text : {"[1]", "7", "", R"({"a": 1,})", R"({"a": 1)", R"({"a": 01})"}) {
    const auto source = memory_source(text, "t");
    JsonReader json(*source);
    EXPECT_EQ(members_in(json), "(none)") << text;
    EXPECT_EQ(json.offset(), 0U) << text;
  }
}

TEST(JsonReaderTest, ScansAnObjectAcrossTheEdgeOfItsWindow) {
  for (std::size_t pad = TextWindow::kInitial - 20; pad < TextWindow::kInitial; ++pad) {
    const std::string text = "[\"" + std::string(pad, 'x') + R"(", {"a": 12345}])";
    const auto source = memory_source(text, "t");
    JsonReader json(*source);
    std::string last;
    json.array([&] { last = json.peek() == '{' ? members_in(json) : json.text(); });
    EXPECT_TRUE(last.ends_with("a=12345")) << pad;
  }
}

TEST(JsonReaderTest, SkippedItemsMayTogetherBeLongerThanTheLargestWindow) {
  const std::string item = "\"" + std::string(std::size_t{1} << 20, 'x') + "\",";
  std::string text = "[[";
  while (text.size() <= TextWindow::kLargest) text += item;
  text += "0], 5]";
  const auto source = memory_source(text, "t");
  JsonReader json(*source);
  std::size_t element = 0;
  json.array([&] {
    if (element++ == 0) return json.skip();
    EXPECT_EQ(json.number(), "5");
  });
  EXPECT_EQ(element, 2U);
}

struct Bad {
  std::string_view text;
  std::string_view message;
};

class StrictJsonTest : public ::testing::TestWithParam<Bad> {};

TEST_P(StrictJsonTest, IsRefusedWhereItBreaksTheRules) {
  const auto source = memory_source(GetParam().text, "t");
  JsonReader json(*source);
  const std::string error = thrown_by<InputError>([&] {
    json.array([&] { json.skip(); });
    json.expect_end();
  });
  EXPECT_EQ(error, GetParam().message) << GetParam().text;
}

INSTANTIATE_TEST_SUITE_P(
    Numbers, StrictJsonTest,
    ::testing::Values(Bad{"[.5]", "t@1: found '.'; expected a value"}, Bad{"[5.]", "t@3: found ']'; expected a digit"},
                      Bad{"[01]", "t@2: found '1'; expected ',' or ']'"},
                      Bad{"[1e+]", "t@4: found ']'; expected a digit"}, Bad{"[+1]", "t@1: found '+'; expected a value"},
                      Bad{"[-]", "t@1: found '-'; expected a value"}, Bad{"[NaN]", "t@1: found 'N'; expected a value"},
                      Bad{"[-Infinity]", "t@1: found '-'; expected a value"}));

INSTANTIATE_TEST_SUITE_P(
    Strings, StrictJsonTest,
    ::testing::Values(
        Bad{"[\"a\nb\"]", R"(t@3: found '\n'; expected it escaped)"},
        Bad{R"(["\q"])", R"(t@2: found '\'; expected an escape: \\, \", \/, \b, \f, \n, \r, \t or \u0000)"},
        Bad{R"(["\u12g4"])", R"(t@2: found '\'; expected an escape: \\, \", \/, \b, \f, \n, \r, \t or \u0000)"},
        Bad{R"(["\ud800\u0041"])", R"(t@2: found '\'; expected both halves of a surrogate pair)"},
        Bad{R"(["\udc00"])", R"(t@2: found '\'; expected both halves of a surrogate pair)"}));

INSTANTIATE_TEST_SUITE_P(Structure, StrictJsonTest,
                         ::testing::Values(Bad{"[1,]", "t@3: found ']'; expected a value"},
                                           Bad{R"([{"a":1,}])", "t@8: found '}'; expected a key in double quotes"},
                                           Bad{R"([[{"a":1,}]])", "t@9: found '}'; expected a key"},
                                           Bad{"[[[1,]]]", "t@5: found ']'; expected a value"},
                                           Bad{"[[1 2]]", "t@4: found '2'; expected ',' or ']'"},
                                           Bad{"[1] 2", "t@4: found '2'; expected the end of the file"},
                                           Bad{"[nul]", "t@1: found 'n'; expected a value"}));

INSTANTIATE_TEST_SUITE_P(Cut, StrictJsonTest,
                         ::testing::Values(Bad{"", "t@0: the file ends here; expected an array"},
                                           Bad{"[", "t@1: the file ends here; expected a value"},
                                           Bad{"[1", "t@2: the file ends here; expected the rest of it"},
                                           Bad{"[\"a", "t@3: the file ends here; expected the rest of it"},
                                           Bad{R"(["\ud800)", "t@8: the file ends here; expected the rest of it"},
                                           Bad{R"(["\ud800\u)", "t@10: the file ends here; expected the rest of it"},
                                           Bad{"[nul", "t@4: the file ends here; expected the rest of it"}));

}  // namespace
}  // namespace stepsim::ingest
