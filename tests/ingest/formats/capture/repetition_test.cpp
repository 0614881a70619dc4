#include "ingest/formats/capture/records.h"

#include <gtest/gtest.h>

#include <optional>
#include <string_view>
#include <vector>

namespace stepsim::ingest {
namespace {

/// Returns "first/period" for a sequence of letters: the place where the repetition begins and the length of its
/// period. Returns "none" if nothing is repeated.
std::string found_in(std::string_view text) {
  const std::vector<std::uint32_t> sequence(text.begin(), text.end());
  const auto found = repetition_of(sequence);
  return found ? std::to_string(found->first) + "/" + std::to_string(found->period) : "none";
}

TEST(RepetitionTest, IsThePeriodOfTheWhole) { EXPECT_EQ(found_in("abcabcabc"), "0/3"); }

TEST(RepetitionTest, LayersInAStepAreNoSteps) { EXPECT_EQ(found_in("aaabaaabaaab"), "0/4"); }

TEST(RepetitionTest, ALastRoundMayBeCut) { EXPECT_EQ(found_in("abcabcabca"), "0/3"); }

TEST(RepetitionTest, WhatComesBeforeIsSetAside) { EXPECT_EQ(found_in("xyzabcabcabc"), "3/3"); }

TEST(RepetitionTest, LessThanThreeTimesIsNone) {
  EXPECT_EQ(found_in("abcabc"), "none");
  EXPECT_EQ(found_in(""), "none");
  EXPECT_EQ(found_in("a"), "none");
}

TEST(RepetitionTest, LessThanHalfIsNone) { EXPECT_EQ(found_in("abcdefghijxyxyxy"), "none"); }

}  // namespace
}  // namespace stepsim::ingest
