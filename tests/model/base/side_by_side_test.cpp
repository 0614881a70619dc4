#include "model/base/side_by_side.h"
#include "tests/thrown_by.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace stepsim {
namespace {

using stepsim::testing::thrown_by;

TEST(SideBySideTest, EachPieceIsDoneOnceAndSeenBehindTheCall) {
  for (const int threads : {-1, 0, 1, 2, 7}) {
    for (const std::size_t count : {0U, 1U, 2U, 1000U}) {
      std::vector<std::string> told(count, "before");
      side_by_side(threads, count, [&](std::size_t piece) { told[piece] += std::to_string(piece); });
      for (std::size_t piece = 0; piece < count; ++piece) EXPECT_EQ(told[piece], "before" + std::to_string(piece));
    }
  }
}

TEST(SideBySideTest, PiecesHavePiecesOfTheirOwn) {
  std::vector<std::vector<int>> square(9, std::vector<int>(9));
  side_by_side(3, 9, [&](std::size_t row) {
    side_by_side(3, 9, [&](std::size_t column) { square[row][column] = static_cast<int>(row * column); });
  });
  for (std::size_t row = 0; row < 9; ++row) {
    for (std::size_t column = 0; column < 9; ++column) EXPECT_EQ(square[row][column], row * column);
  }
}

TEST(SideBySideTest, WhatAPieceThrowsIsThrown) {
  for (const int threads : {1, 3}) {
    const auto throws = [](std::size_t piece) {
      if (piece == 13) throw std::runtime_error("piece " + std::to_string(piece));
    };
    EXPECT_EQ(thrown_by<std::runtime_error>([&] { side_by_side(threads, 20, throws); }), "piece 13");
  }
}

}  // namespace
}  // namespace stepsim
