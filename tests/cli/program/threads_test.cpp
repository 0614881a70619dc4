#include "cli/program/process.h"

#include <gtest/gtest.h>
#include <oneapi/tbb/global_control.h>

namespace stepsim::cli {
namespace {

TEST(ThreadsTest, WhatWasLimitedOnceIsLimitedForTheRestOfTheProgram) {
  int first = 2;
  limit_threads(first);
  EXPECT_GE(first, 1);
  EXPECT_LE(first, 2);
  int more = 64;
  limit_threads(more);
  EXPECT_EQ(more, first);
  int fewer = 1;
  limit_threads(fewer);
  EXPECT_EQ(fewer, 1);
}

TEST(ThreadsTest, ACallInTheProcessOfOthersLimitsNoLaterCall) {
  using oneapi::tbb::global_control;
  const std::size_t before = global_control::active_value(global_control::max_allowed_parallelism);
  int first = 1;
  fit_threads(first);
  EXPECT_EQ(first, 1);
  int all = static_cast<int>(before);
  fit_threads(all);
  EXPECT_EQ(all, static_cast<int>(before));
  int more = 64 + all;
  fit_threads(more);
  EXPECT_EQ(more, all);
  EXPECT_EQ(global_control::active_value(global_control::max_allowed_parallelism), before);
}

}  // namespace
}  // namespace stepsim::cli
