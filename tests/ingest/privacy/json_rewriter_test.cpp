#include "ingest/privacy/json_rewriter.h"

#include <gtest/gtest.h>

#include <string>

#include "ingest/bytes/byte_source.h"
#include "model/base/error.h"

namespace stepsim::ingest {
namespace {

std::string rewritten(std::string_view text, const JsonChanges& changes) {
  const auto source = memory_source(text, "x.json");
  std::string out;
  rewrite_json(*source, changes, [&out](std::string_view piece) { out += piece; });
  return out;
}

const JsonChanges kNoChange{[](const JsonPlace&, std::string_view) { return std::nullopt; },
                            [](const JsonPlace&, std::string_view) { return std::nullopt; },
                            [](const JsonPlace&, char) { return std::nullopt; }};

TEST(JsonRewriterTest, WhatIsNotChangedStaysByteForByte) {
  for (const std::string text :
       {R"({"a" : [1, 2.50, "x\u00e9\"", {"b":null}], "c":{} ,})", R"([{"ph":"X"} , {"ts":1e3}])", R"({"a": "cut off)",
        "", "no JSON at all } ] :", R"({"a":"lone \ backslash"})"}) {
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

TEST(JsonRewriterTest, DeepNestsAreRefused) {
  EXPECT_THROW(static_cast<void>(rewritten(std::string(5000, '['), kNoChange)), InputError);
}

}  // namespace
}  // namespace stepsim::ingest
