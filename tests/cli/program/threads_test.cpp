#include "cli/program/process.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace stepsim::cli
