#include "model/base/yaml.h"

#include <gtest/gtest.h>

#include <string>

#include "model/base/error.h"
#include "tests/thrown_by.h"

namespace stepsim {
namespace {

using stepsim::testing::thrown_by;

constexpr YamlForm kForm{1U << 20U, "a: 1"};

std::string error_of(std::string_view text) {
  return thrown_by<InputError>([&] { return parse_yaml(text, "f.yaml", kForm); }, "no error");
}

TEST(YamlValueTest, ScalarsStayText) {
  const YamlValue file = parse_yaml("a: 010\nb: no", "f.yaml", kForm);
  ASSERT_EQ(file.items.size(), 4U);
  EXPECT_EQ(file.items[1].text, "010");
  EXPECT_EQ(file.items[3].text, "no");
  EXPECT_EQ(file.items[3].line, 2U);
}

TEST(YamlValueTest, WhatCannotBeReadIsToldInOneSentence) {
  const std::string expected = "; expected YAML such as 'a: 1'";
  EXPECT_EQ(error_of("a: 1\nb: 'c\n\n"), "f.yaml:3: a quote is not closed" + expected);
  EXPECT_EQ(error_of("a:\n\t- b\n"), "f.yaml:2:1: a tab indents the line, but YAML needs blanks" + expected);
  EXPECT_EQ(error_of(std::string(100'000, '[')), "f.yaml:1: lists or maps are nested too deeply" + expected);
  EXPECT_EQ(error_of("a: \"b\n...\nc\"\n"), "f.yaml:2: illegal document indicator in scalar" + expected);
}

TEST(YamlValueTest, TabsMayStandBetweenWordsAndInCommentsButNeverIndent) {
  const std::string refused = ": a tab indents the line, but YAML needs blanks; expected YAML such as 'a: 1'";
  EXPECT_EQ(error_of("a:\n\t[1]\n"), "f.yaml:2:1" + refused);
  EXPECT_EQ(error_of("a:\n  \tb\n"), "f.yaml:2:3" + refused);
  EXPECT_EQ(error_of("a: [1,\r\n  \t2]\n"), "f.yaml:2:3" + refused);
  EXPECT_EQ(error_of("a: {b:\r\t1}"), "f.yaml:1:1" + refused);
  EXPECT_EQ(error_of("\ta: 1"), "f.yaml:1:1" + refused);
  for (const char* const text : {"a:\tb", "a: b\t# c\n", "\t# c\n \t\na: b", "\t"}) {
    EXPECT_EQ(error_of(text), "no error") << text;
  }
}

TEST(YamlValueTest, OnlyTextInUtf8IsRead) {
  using std::string_literals::operator""s;
  EXPECT_EQ(error_of("a: 1\nb: \0c"s), "f.yaml:2: the file holds the byte 0x00; expected text in UTF-8");
  EXPECT_EQ(error_of("a: \x04"), "f.yaml:1: the file holds the byte 0x04; expected text in UTF-8");
  EXPECT_EQ(error_of("a: caf\xe9\n"), "f.yaml:1: the file holds the byte 0xe9; expected text in UTF-8");
  EXPECT_EQ(parse_yaml("a: caf\xc3\xa9\r\n", "f.yaml", kForm).items[1].text, "caf\xc3\xa9");
}

TEST(YamlValueTest, TheEndThatIsAddedChangesNothing) {
  for (const char* const text : {"a: |\n  b", "a: |\n  b\n", "a: b\n...\n", "a: b # c"}) {
    const YamlValue file = parse_yaml(text, "f.yaml", kForm);
    ASSERT_EQ(file.items.size(), 2U) << text;
    EXPECT_EQ(file.items[1].text.substr(0, 1), "b") << text;
  }
  EXPECT_EQ(parse_yaml("", "f.yaml", kForm).kind, YamlValue::Kind::kNothing);
}

}  // namespace
}  // namespace stepsim
