#include "sim/stats/memory_use.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace stepsim::testing {
namespace {

using sim::MemoryUse;

AllocationTable::Event point(std::int64_t time, std::int64_t change, std::int64_t allocated) {
  return {
      .time = Time{Duration{time}}, .change = Bytes{change}, .allocated = Bytes{allocated}, .reserved = Bytes{2048}};
}

TEST(MemoryUseTest, PeakAndSums) {
  AllocationTable table;
  table.memories = {{.rank = 3,
                     .device = 0,
                     .events = {point(10, 100, 100), point(20, 300, 400), point(30, -350, 50), point(40, 350, 400)}},
                    {.rank = 4, .device = -1, .events = {point(10, 1, 1)}}};
  const std::vector<MemoryUse> use = sim::memory_use(table);
  ASSERT_EQ(use.size(), 2U);
  EXPECT_EQ(use.front().rank, 3);
  EXPECT_EQ(use.front().device, "device 0");
  EXPECT_EQ(use.back().device, "CPU");
  EXPECT_EQ(use.front().peak.allocated, Bytes{400});
  EXPECT_EQ(use.front().peak.time, Time{Duration{20}});  // the first of two equal peaks
  EXPECT_EQ(use.front().allocations, 3U);
  EXPECT_EQ(use.front().releases, 1U);
  EXPECT_EQ(use.front().allocated_in_all, Bytes{750});
  EXPECT_EQ(use.front().most_reserved, Bytes{2048});
  EXPECT_EQ(use.front().first, Bytes{100});
  EXPECT_EQ(use.front().last, Bytes{400});
  EXPECT_EQ(use.front().curve.size(), 4U);
}

TEST(MemoryUseTest, ALongCurveIsThinnedOutAndKeepsThePeak) {
  AllocationTable table;
  AllocationTable::Memory memory;
  for (std::int64_t i = 0; i < 100'000; ++i) memory.events.push_back(point(i, 1, i == 77'777 ? 1'000'000 : i));
  table.memories.push_back(std::move(memory));
  const MemoryUse use = sim::memory_use(table).front();
  EXPECT_LE(use.curve.size(), MemoryUse::kMostPoints);
  EXPECT_GE(use.curve.size(), MemoryUse::kMostPoints - 1);
  EXPECT_TRUE(std::any_of(use.curve.begin(), use.curve.end(),
                          [](const auto& each) { return each.allocated == Bytes{1'000'000}; }));
  EXPECT_TRUE(
      std::is_sorted(use.curve.begin(), use.curve.end(), [](const auto& a, const auto& b) { return a.time < b.time; }));
}

}  // namespace
}  // namespace stepsim::testing
