#include "ingest/parts/busy_time.h"

#include <gtest/gtest.h>

namespace stepsim::ingest {
namespace {

Time at(std::int64_t ns) { return Time{Duration{ns}}; }

TEST(BusyTimeTest, WhatOverlapsCountsOnce) {
  BusyTime busy;
  busy.add(at(50), at(60));
  busy.add(at(0), at(10));
  busy.add(at(5), at(20));
  busy.add(at(20), at(21));
  EXPECT_EQ(busy.length(), Duration{31});
  EXPECT_EQ(busy.count(), 4U);
}

TEST(BusyTimeTest, ManyIntervalsInAnyOrder) {
  BusyTime busy;
  constexpr std::int64_t kCount = 100'000;
  for (std::int64_t i = 0; i < kCount; ++i) {
    // 7919 and kCount have no common divisor, so k takes each value once.
    const std::int64_t k = i * 7919 % kCount;
    busy.add(at(10 * k), at(10 * k + 4));
  }
  EXPECT_EQ(busy.length(), Duration{4 * kCount});
}

}  // namespace
}  // namespace stepsim::ingest
