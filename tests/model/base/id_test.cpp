#include "model/base/id.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "model/base/error.h"

namespace stepsim {
namespace {

TEST(IdTest, DefaultOneNamesNothing) {
  EXPECT_FALSE(TaskId{}.valid());
  EXPECT_TRUE(TaskId{0}.valid());
}

TEST(IdTest, HoldsEveryIndexThatLeavesRoomForNone) {
  const std::size_t largest = std::numeric_limits<std::uint32_t>::max() - std::size_t{1};
  EXPECT_EQ(TaskId{largest}.index(), largest);
}

TEST(IdTest, IndexThatDoesNotFitIsAnError) {
  EXPECT_THROW((void)TaskId{std::size_t{1} << 32U}, InternalError);
  EXPECT_THROW((void)TaskId{std::size_t{0xFFFFFFFFU}}, InternalError) << "that one names nothing";
  EXPECT_THROW((void)TaskId{-1}, InternalError);
}

TEST(IdTest, RangeGivesEveryIdOnceInOrder) {
  std::vector<TaskId> seen;
  for (const TaskId task : IdRange<TaskId>{3, 6}) seen.push_back(task);
  EXPECT_EQ(seen, (std::vector{TaskId{3}, TaskId{4}, TaskId{5}}));
  EXPECT_EQ((IdRange<TaskId>{3, 6}.size()), 3U);
  for (const TaskId task : IdRange<TaskId>{0, 0}) FAIL() << task.value();
}

}  // namespace
}  // namespace stepsim
