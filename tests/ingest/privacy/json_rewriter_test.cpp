#include "ingest/privacy/json_rewriter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/bytes/byte_source.h"
#include "model/base/error.h"
#include "tests/ingest/dripping_source.h"

namespace stepsim::ingest {
namespace {

using testing::DrippingSource;

/// Returns the rewritten text, and checks that reading it in pieces of any size gives the same.
std::string rewritten(std::string_view text, const JsonChanges& changes) {
  const auto from = [&changes](ByteSource& source) {
    std::string out;
    rewrite_json(source, changes, [&out](std::string_view piece) { out += piece; });
    return out;
  };
  std::string whole = from(*memory_source(text, "x.json"));
  for (std::size_t most = 1; most <= std::min<std::size_t>(text.size(), 20); ++most) {
    DrippingSource source(text, "x.json", most);
    EXPECT_EQ(from(source), whole) << most << " bytes at a time";
  }
  return whole;
}

const JsonChanges kNoChange{[](const JsonPlace&, std::string_view) { return std::nullopt; },
                            [](const JsonPlace&, std::string_view) { return std::nullopt; },
                            [](const JsonPlace&, char) { return std::nullopt; }};

TEST(JsonRewriterTest, WhatIsNotChangedStaysByteForByte) {
  for (const std::string& text : std::vector<std::string>{R"({"a" : [1, 2.50, "x\u00e9\"", {"b":null}], "c":{} ,})",
                                                          R"([{"ph":"X"} , {"ts":1e3}])", R"({"a": "cut off)",
                                                          R"({"a":"\\","b\\\"":["\\\\\"","\u0041"]})",
                                                          std::string("{\"a\":\"\0\n\",\"b\0\":1\0}", 17), "",
                                                          "no JSON at all } ] :", R"({"a":"lone \ backslash"})"}) {
    EXPECT_EQ(rewritten(text, kNoChange), text);
  }
}

TEST(JsonRewriterTest, StringsAreChangedByTheirContentAndPlace) {
  JsonChanges changes = kNoChange;
  changes.string = [](const JsonPlace& place, std::string_view text) -> std::optional<std::string> {
    if (place.key() == "b" && text == "a\"b") return "q\"\n";
    return std::nullopt;
  };
  EXPECT_EQ(rewritten(R"({"a":"a\"b","c":[{"b":"a\"b"}]})", changes), R"({"a":"a\"b","c":[{"b":"q\"\u000a"}]})");
}

TEST(JsonRewriterTest, KeysAreChangedAndTheirMembersAreCalledByWhatTheyWere) {
  JsonChanges changes = kNoChange;
  changes.key = [](const JsonPlace& place, std::string_view text) -> std::optional<std::string> {
    if (text == "a\"b" && place.keys.size() == 2) return "q";
    return std::nullopt;
  };
  changes.string = [](const JsonPlace& place, std::string_view) -> std::optional<std::string> {
    return place.key() == "a\"b" ? std::optional<std::string>("below") : std::nullopt;
  };
  EXPECT_EQ(rewritten(R"({"a\"b":1,"c":{"a\"b":"x","d":"a\"b"}})", changes),
            R"({"a\"b":1,"c":{"q":"below","d":"a\"b"}})");
}

TEST(JsonRewriterTest, AMemberIsReplacedWithAllThatItHolds) {
  JsonChanges changes = kNoChange;
  changes.value = [](const JsonPlace& place, char first) -> std::optional<std::string> {
    EXPECT_NE(std::string("{[\"12").find(first), std::string::npos);
    if (place.keys.size() == 1 && place.key() == "env") return "gone";
    return std::nullopt;
  };
  EXPECT_EQ(rewritten(R"({"env":{"a":[1,{"env":2}],"b":"}"},"x":{"env":1}})", changes),
            R"({"env":"gone","x":{"env":1}})");
  EXPECT_EQ(rewritten(R"({"env":17,"x":1})", changes), R"({"env":"gone","x":1})");
  EXPECT_EQ(rewritten(R"({"x":1,"env":"secret"})", changes), R"({"x":1,"env":"gone"})");
}

TEST(JsonRewriterTest, AStringCrossesPieces) {
  std::string long_text(200'000, 'a');
  for (std::size_t i = 0; i < long_text.size(); i += 1000) long_text.replace(i, 2, "\\\"");
  JsonChanges changes = kNoChange;
  const std::string text = R"({"a": ")" + long_text + R"(", "b": 1})";
  std::string out;
  rewrite_json(*memory_source(text, "x.json"), changes, [&out](std::string_view piece) { out += piece; });
  EXPECT_EQ(out, text);
  changes.string = [](const JsonPlace&, std::string_view content) -> std::optional<std::string> {
    return std::to_string(content.size());  // each escape is one character
  };
  out.clear();
  rewrite_json(*memory_source(text, "x.json"), changes, [&out](std::string_view piece) { out += piece; });
  EXPECT_EQ(out, R"({"a": "199800", "b": 1})");
}

TEST(JsonRewriterTest, DeepNestsAreRefused) {
  EXPECT_THROW(static_cast<void>(rewritten(std::string(5000, '['), kNoChange)), InputError);
}

}  // namespace
}  // namespace stepsim::ingest
