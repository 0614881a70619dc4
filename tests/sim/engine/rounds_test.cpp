#include "sim/engine/replays.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace stepsim::sim {
namespace {

TEST(RoundsTest, EveryPieceIsDoneOnceARoundAndSeesTheRoundBefore) {
  for (const int threads : {1, 2, 7}) {
    Rounds rounds(threads);
    std::vector<int> done(5);
    for (int round = 0; round < 1000; ++round) {
      rounds.run(done.size(), [&](std::size_t piece) { done[piece] = round + 1; });
      ASSERT_EQ(done, std::vector<int>(5, round + 1));
    }
  }
}

TEST(RoundsTest, WhatAPieceThrowsEndsTheRoundAndNotTheRounds) {
  Rounds rounds(3);
  const auto run = [&](bool fail) {
    rounds.run(4, [fail](std::size_t piece) {
      if (fail && piece == 2) throw std::runtime_error("piece");
    });
  };
  EXPECT_THROW(run(true), std::runtime_error);
  EXPECT_NO_THROW(run(false));
}

TEST(RoundsTest, RoundsWithoutPiecesAndNoneAtAllEnd) {
  Rounds rounds(2);
  rounds.run(0, [](std::size_t) { FAIL(); });
}

}  // namespace
}  // namespace stepsim::sim
