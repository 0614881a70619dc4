#include "ingest/bytes/columns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <string>
#include <vector>

#include "model/base/error.h"

namespace stepsim::ingest {
namespace {

constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

std::string written(const std::vector<std::int64_t>& values) {
  ColumnWriter out;
  out.column(values);
  return out.take();
}

void expect_same(const std::vector<std::int64_t>& values) {
  const std::string bytes = written(values);
  ColumnReader in(bytes, "x");
  EXPECT_EQ(in.column(values.size()), values);
  EXPECT_TRUE(in.at_end());
}

TEST(ColumnsTest, NumbersAndTextsAreReadAsTheyWereWritten) {
  const std::vector<std::int64_t> numbers{0, 1, -1, 63, 64, -64, -65, 1'000'000, kLeast, kMost};
  ColumnWriter out;
  for (const std::int64_t number : numbers) out.number(number);
  out.text("");
  out.text(std::string("a\0b", 3));
  const std::string bytes = out.take();
  ColumnReader in(bytes, "x");
  for (const std::int64_t number : numbers) EXPECT_EQ(in.number(), number);
  EXPECT_EQ(in.text(), "");
  EXPECT_EQ(in.text(), std::string("a\0b", 3));
  EXPECT_TRUE(in.at_end());
}

TEST(ColumnsTest, ColumnsOfAnyValuesAreReadAsTheyWereWritten) {
  expect_same({});
  expect_same({7});
  expect_same({kLeast, kMost, 0, kMost, kLeast, -1});
  std::mt19937_64 generator(11);
  for (const unsigned bits : {1U, 7U, 8U, 9U, 31U, 63U, 64U}) {
    for (const std::size_t size : {std::size_t{1}, std::size_t{1024}, std::size_t{1025}, std::size_t{5000}}) {
      std::vector<std::int64_t> values(size);
      for (std::int64_t& value : values) value = static_cast<std::int64_t>(generator()) >> (64 - bits);
      expect_same(values);
    }
  }
}

TEST(ColumnsTest, IdsAndTimesAreNarrow) {
  std::vector<std::int64_t> times;
  for (std::int64_t i = 0; i < 10'000; ++i) times.push_back(1'700'000'000'000'000'000 + 100 * i + i % 3);
  EXPECT_LT(written(times).size(), 10'000U * 11 / 10);  // differences of 98 to 101 need a byte each
  EXPECT_LT(written(std::vector<std::int64_t>(10'000, 1'700'000'000'000'000'000)).size(), 10'000U * 11 / 10);
}

TEST(ColumnsTest, BytesThatEndEarlyAreRefused) {
  ColumnWriter out;
  out.text("abc");
  out.column(std::vector<std::int64_t>{1, 1000, 3});
  const std::string bytes = out.take();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const std::string cut = bytes.substr(0, size);
    ColumnReader in(cut, "cut.stepsim");
    try {
      (void)in.text();
      (void)in.column(3);
      ADD_FAILURE() << size;
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr("cut.stepsim@"));
      EXPECT_THAT(error.what(), ::testing::HasSubstr("this part is damaged; expected"));
    }
  }
}

TEST(ColumnsTest, ACountIsAtMostTheNumberOfBytes) {
  ColumnWriter out;
  out.number(1'000'000);
  const std::string bytes = out.take();
  EXPECT_THROW((void)ColumnReader(bytes, "x").count(), InputError);
  ColumnWriter negative;
  negative.number(-1);
  const std::string other = negative.take();
  EXPECT_THROW((void)ColumnReader(other, "x").count(), InputError);
}

}  // namespace
}  // namespace stepsim::ingest
