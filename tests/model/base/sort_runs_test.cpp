#include "model/base/sort_runs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace stepsim {
namespace {

using Numbers = std::vector<std::uint32_t>;

Numbers random_numbers(std::size_t count, std::uint32_t below, std::uint32_t seed) {
  std::mt19937 next{seed};
  Numbers numbers(count);
  for (std::uint32_t& number : numbers) number = static_cast<std::uint32_t>(next() % below);
  return numbers;
}

/// Returns ascending runs of the given lengths, one after the other.
Numbers runs_of(const std::vector<std::size_t>& lengths) {
  Numbers numbers;
  for (std::size_t r = 0; r < lengths.size(); ++r) {
    Numbers run = random_numbers(lengths[r], 1000, static_cast<std::uint32_t>(r));
    std::sort(run.begin(), run.end());
    numbers.insert(numbers.end(), run.begin(), run.end());
  }
  return numbers;
}

void expect_sorted(Numbers numbers) {
  Numbers expected = numbers;
  std::stable_sort(expected.begin(), expected.end());
  sort_runs(numbers);
  EXPECT_EQ(numbers, expected);
}

TEST(SortRunsTest, NothingAndOneItemAreSorted) {
  expect_sorted({});
  expect_sorted({7});
}

TEST(SortRunsTest, RunsAreMerged) {
  expect_sorted(runs_of({1000}));
  expect_sorted(runs_of({1000, 1}));
  expect_sorted(runs_of({1, 1000}));
  expect_sorted(runs_of({500, 300, 700}));
  expect_sorted(runs_of({16, 15, 14, 13, 12, 11, 10, 9}));
}

TEST(SortRunsTest, WhatIsInNoOrderIsSorted) {
  for (const std::size_t count : {2U, 3U, 5U, 8U, 100U, 1001U}) {
    expect_sorted(random_numbers(count, 50, 1));
    Numbers falling = random_numbers(count, 1U << 30U, 2);
    std::sort(falling.rbegin(), falling.rend());
    expect_sorted(falling);
  }
}

TEST(SortRunsTest, NeighboursThatAreOutOfOrderAreExchanged) {
  Numbers numbers = runs_of({4000});
  for (std::size_t i = 10; i + 1 < numbers.size(); i += 10) std::swap(numbers[i], numbers[i + 1]);
  expect_sorted(numbers);
}

TEST(SortRunsTest, EqualItemsOfRunsStayInOrder) {
  std::vector<std::pair<int, int>> items;
  for (int i = 0; i < 90; ++i) items.emplace_back(i % 30 / 10, i);
  sort_runs(items, [](const auto& a, const auto& b) { return a.first < b.first; });
  EXPECT_TRUE(std::is_sorted(items.begin(), items.end()));
}

}  // namespace
}  // namespace stepsim
