#include "ingest/json/json_values.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace stepsim::ingest {

namespace {

std::vector<std::string> members_of(std::string_view object) {
  std::vector<std::string> members;
  ItemCursor cursor{object};
  std::string_view key;
  std::string_view value;
  while (cursor.next(key, value)) members.push_back(std::string{key} + "=" + std::string{value});
  return members;
}

std::vector<std::string> elements_of(std::string_view array) {
  std::vector<std::string> elements;
  ItemCursor cursor{array};
  std::string_view value;
  while (cursor.next(value)) elements.emplace_back(value);
  return elements;
}

TEST(ItemCursorTest, MembersComeInOrderWithTheirRawValues) {
  EXPECT_EQ(members_of(R"( { "a" : 1 ,"b":"x\"}", "c": {"d": [1, "]"]}, "e":null } )"),
            (std::vector<std::string>{"a=1", R"(b="x\"}")", R"(c={"d": [1, "]"]})", "e=null"}));
  EXPECT_TRUE(members_of("{}").empty());
}

TEST(ItemCursorTest, StopsAtTheFirstThingThatIsNoJson) {
  EXPECT_EQ(members_of(R"({"a":1, b:2, "c":3})"), (std::vector<std::string>{"a=1"}));
  EXPECT_EQ(members_of(R"({"a":1, "b" 2})"), (std::vector<std::string>{"a=1"}));
  for (const std::string_view text : {"", " ", "[1]", "{", "{\"", "{\"a", "{\"a\"", "{\"a\":", R"({"a":")",
                                      R"({"a":"\)", "{\"a\":{", R"({"a":[")", "{:1}", "{\"a\":,}"}) {
    EXPECT_TRUE(members_of(text).empty()) << text;
  }
}

TEST(ItemCursorTest, ElementsComeInOrder) {
  EXPECT_EQ(elements_of(R"([1, "a,b", [2, 3], {"c": 4}, null])"),
            (std::vector<std::string>{"1", R"("a,b")", "[2, 3]", R"({"c": 4})", "null"}));
  EXPECT_TRUE(elements_of("[]").empty());
  EXPECT_TRUE(elements_of("{}").empty());
  EXPECT_TRUE(elements_of("[[1").empty());
}

TEST(ItemCursorTest, DepthCostsNothing) {
  const std::string deep = std::string(1'000'000, '[') + std::string(1'000'000, ']');
  EXPECT_EQ(members_of("{\"a\":" + deep + ",\"b\":2}").size(), 2U);
}

}  // namespace

}  // namespace stepsim::ingest
