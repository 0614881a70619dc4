#include "model/base/count_column.h"

#include <gtest/gtest.h>

#include "model/base/units.h"

namespace stepsim {
namespace {

constexpr std::int64_t kFourBytes = std::int64_t{1} << 32;

TEST(CountColumnTest, CountsOfEightBytesComeBackWhole) {
  CountColumn<Duration> column;
  const std::vector<std::int64_t> counts{0, kFourBytes - 1, kFourBytes, 7, INT64_MAX};
  for (const std::int64_t count : counts) column.push_back(Duration{count});
  ASSERT_EQ(column.size(), counts.size());
  for (std::size_t i = 0; i < counts.size(); ++i) EXPECT_EQ(column[i], Duration{counts[i]});
}

TEST(CountColumnTest, AnEntryMayBecomeLargeAndSmallAgain) {
  CountColumn<Bytes> column;
  column.push_back(Bytes{1});
  column.push_back(Bytes{2});
  column.set(0, Bytes{3 * kFourBytes + 5});
  EXPECT_EQ(column[0], Bytes{3 * kFourBytes + 5});
  EXPECT_EQ(column[1], Bytes{2});
  column.set(0, Bytes{6});
  EXPECT_EQ(column[0], Bytes{6});
}

}  // namespace
}  // namespace stepsim
