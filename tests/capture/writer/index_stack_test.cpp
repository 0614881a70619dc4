#include "capture/writer/buffers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <thread>
#include <vector>

namespace stepsim::capture {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

TEST(IndexStackTest, GivesBackWhatWasPushedLast) {
  IndexStack stack(3);
  EXPECT_EQ(stack.pop(), std::nullopt);
  stack.push(2);
  stack.push(0);
  EXPECT_EQ(stack.pop(), 0U);
  EXPECT_EQ(stack.pop(), 2U);
  EXPECT_EQ(stack.pop(), std::nullopt);
}

TEST(IndexStackTest, TakesAllInTheOrderInWhichTheyWerePushed) {
  IndexStack stack(4);
  for (const std::uint32_t index : {3U, 1U, 2U}) stack.push(index);
  std::array<std::uint32_t, 4> out{};
  ASSERT_EQ(stack.take_all(out.data()), 3U);
  EXPECT_THAT((std::vector<std::uint32_t>(out.begin(), out.begin() + 3)), ElementsAre(3U, 1U, 2U));
  EXPECT_EQ(stack.take_all(out.data()), 0U);
}

/// Fails if two threads get the same number at the same time, or if a number is lost.
TEST(IndexStackTest, NoTwoThreadsHaveOneNumber) {
  constexpr std::uint32_t kNumbers = 8;
  constexpr int kRounds = 50'000;
  IndexStack stack(kNumbers);
  for (std::uint32_t i = 0; i < kNumbers; ++i) stack.push(i);
  std::array<std::atomic<int>, kNumbers> holders{};
  std::atomic<int> held_twice{0};
  std::array<std::thread, 4> threads;
  for (std::thread& thread : threads) {
    thread = std::thread([&] {
      for (int round = 0; round < kRounds; ++round) {
        const auto index = stack.pop();
        if (!index) continue;
        if (holders[*index].fetch_add(1) != 0) ++held_twice;
        holders[*index].fetch_sub(1);
        stack.push(*index);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(held_twice, 0);
  std::array<int, kNumbers> found{};
  while (const auto index = stack.pop()) ++found[*index];
  EXPECT_THAT(found, Each(1));
}

}  // namespace
}  // namespace stepsim::capture
