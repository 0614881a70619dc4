#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/ingest/read_text.h"

namespace stepsim::ingest::gradient_names_test {
namespace {

using ::testing::HasSubstr;

Parsed<TensorTable> read(std::string_view text, std::string file = "gradient_name_list.txt") {
  return read_text<TensorTable>("gradient_names", text, std::move(file));
}

TEST(GradientNamesTest, ALineGivesNameAndBytes) {
  const auto table = read("a\nfc1_weight;shape=(512, 1024);dtype=float16\nb;shape=(3,);dtype=float32\n").part;
  ASSERT_EQ(table.tensors.size(), 3U);
  EXPECT_EQ(table.tensors[0].name, "a");
  EXPECT_FALSE(table.tensors[0].bytes.has_value());
  EXPECT_EQ(table.tensors[1].name, "fc1_weight");
  EXPECT_EQ(table.tensors[1].bytes, Bytes{std::int64_t{512} * 1024 * 2});
  EXPECT_EQ(table.tensors[2].bytes, Bytes{12});
}

TEST(GradientNamesTest, TheLineNumberIsTheGradientsNumberEvenWhereALineIsEmpty) {
  const auto table = read("a\r\n\r\nc");
  ASSERT_EQ(table.part.tensors.size(), 3U);
  EXPECT_EQ(table.part.tensors[2].name, "c");
  EXPECT_EQ(table.sink.diagnostics.count_of("gradient_without_name"), 1U);
}

TEST(GradientNamesTest, JsonListsOfLinesAndOfFieldsSayTheSame) {
  const auto table =
      read(R"({"model_name": "x", "gradient_name_list": ["a;shape=(2, 3);dtype=int8", ["b", [2, 3], "float64"], "c"]})",
           "gradient_name_list.json")
          .part;
  ASSERT_EQ(table.tensors.size(), 3U);
  EXPECT_EQ(table.tensors[0].bytes, Bytes{6});
  EXPECT_EQ(table.tensors[1].name, "b");
  EXPECT_EQ(table.tensors[1].bytes, Bytes{48});
  EXPECT_EQ(table.tensors[2].name, "c");
}

TEST(GradientNamesTest, NumbersByNameGiveTheSameListInAnyOrder) {
  const auto table = read(R"({"c": 3, "a": 0, "b": 1})", "gradient_name2ID.json").part;
  ASSERT_EQ(table.tensors.size(), 4U);
  EXPECT_EQ(table.tensors[1].name, "b");
  EXPECT_EQ(table.tensors[2].name, "");  // no gradient has this number
  EXPECT_EQ(table.tensors[3].name, "c");
}

TEST(GradientNamesTest, ABareJsonListIsTaken) {
  EXPECT_EQ(read(R"(["a","b"])", "gradient_name_list.json").part.tensors.size(), 2U);
}

TEST(GradientNamesTest, NumpyAndTorchTypeNamesAreKnown) {
  const auto table = read("a;shape=(1,);dtype=<class 'numpy.float16'>\nb;shape=(1,);dtype=torch.bfloat16\n").part;
  EXPECT_EQ(table.tensors[0].bytes, Bytes{2});
  EXPECT_EQ(table.tensors[1].bytes, Bytes{2});
}

class UnknownSizeTest : public ::testing::TestWithParam<const char*> {};

TEST_P(UnknownSizeTest, IsCountedAndTheNameKept) {
  const auto table = read(GetParam());
  ASSERT_EQ(table.part.tensors.size(), 1U);
  EXPECT_EQ(table.part.tensors[0].name, "a");
  EXPECT_FALSE(table.part.tensors[0].bytes.has_value());
  EXPECT_EQ(table.sink.diagnostics.count_of("unknown_tensor_size"), 1U);
}

INSTANTIATE_TEST_SUITE_P(Malformed, UnknownSizeTest,
                         ::testing::Values("a;shape=(-1, 2);dtype=float32", "a;shape=(2, 3);dtype=quaternion",
                                           "a;shape=__import__('os');dtype=float32",
                                           "a;shape=(9223372036854775807, 9223372036854775807);dtype=float32",
                                           "a;shape=(99999999999999999999999);dtype=float32",
                                           "a;shape=(1.5,);dtype=float32",
                                           "a;shape=(4611686018427387904,);dtype=float64"));

TEST(GradientNamesTest, ATruncatedJsonListIsUsedUpToTheCut) {
  const auto table = read(R"({"gradient_name_list": ["a", "b", "c)", "gradient_name_list.json");
  EXPECT_EQ(table.part.tensors.size(), 2U);
  EXPECT_EQ(table.sink.diagnostics.count_of("truncated_file"), 1U);
}

TEST(GradientNamesTest, WhatHoldsNoNameIsRefused) {
  EXPECT_THAT(refusal("gradient_names", "", "gradient_name_list.txt"),
              HasSubstr("no gradient in the file; expected one name per line"));
  EXPECT_THAT(refusal("gradient_names", "{}", "gradient_name_list.json"), HasSubstr("no gradient in the file"));
  EXPECT_THAT(refusal("gradient_names", "[1 2]", "gradient_name_list.json"),
              HasSubstr("gradient_name_list.json@3: found '2'; expected ',' or ']'"));
  EXPECT_THAT(refusal("gradient_names", std::string(2U << 20U, 'x'), "gradient_name_list.txt"),
              HasSubstr("a line of more than 1 MiB"));
}

}  // namespace
}  // namespace stepsim::ingest::gradient_names_test
