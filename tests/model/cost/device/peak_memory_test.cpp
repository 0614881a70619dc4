#include "model/cost/device/peak_memory.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace stepsim::testing {
namespace {

constexpr std::uint32_t kLinear = 0;       // on 4 samples of 8 values, with a weight of 16 x 8
constexpr std::uint32_t kOfWeights = 1;    // an operator whose only input has the sizes of the weight
constexpr std::uint32_t kElementwise = 2;  // an operator on 4 samples of 16 values
constexpr std::int64_t kWeight = 512;      // bytes of 16 x 8 floats

TensorShape floats(std::vector<std::int64_t> sizes) {
  return {std::move(sizes), 4, Precision::kFloat32, ElementKind::kFloat};
}

/// A memory whose events a test adds one after another.
class Memory {
 public:
  explicit Memory(std::int32_t device = -1) {
    Work product;
    product.flops = 2 * 4 * 8 * 16;
    table_.operators = {{"aten::linear", "", product, {floats({4, 8}), floats({16, 8})}},
                        {"aten::clone", "", {}, {floats({8, 16})}},
                        {"aten::gelu", "", {}, {floats({4, 16})}}};
    table_.memories.push_back({.rank = 0, .device = device, .events = {}});
  }

  Memory& allocate(std::uint64_t block, std::int64_t bytes, std::uint32_t which = AllocationTable::kNone,
                   bool in_backward = false, bool in_optimizer = false) {
    return add({.block = block,
                .change = Bytes{bytes},
                .which = which,
                .in_optimizer = in_optimizer,
                .in_backward = in_backward});
  }
  Memory& release(std::uint64_t block, std::int64_t bytes) { return add({.block = block, .change = Bytes{-bytes}}); }
  /// Sets what was allocated before the first event.
  Memory& begin_with(std::int64_t bytes) {
    allocated_ = bytes;
    return *this;
  }
  [[nodiscard]] std::int64_t peak(double factor) const {
    return RecordedMemory(table_, table_.memories.front(), ParameterSizes(table_.operators)).peak(factor).count();
  }

 private:
  Memory& add(AllocationTable::Event event) {
    allocated_ += event.change.count();
    event.allocated = Bytes{allocated_};
    table_.memories.front().events.push_back(event);
    return *this;
  }

  AllocationTable table_;
  std::int64_t allocated_ = 0;
};

TEST(PeakMemoryTest, ActivationsGrowWithTheSamples) {
  const Memory memory = Memory().begin_with(1000).allocate(1, 256, kLinear).allocate(2, 300, kElementwise);
  EXPECT_EQ(memory.peak(1), 1000 + 556);
  EXPECT_EQ(memory.peak(3), 1000 + 3 * 556);
  EXPECT_EQ(memory.peak(0.5), 1000 + 278);
}

TEST(PeakMemoryTest, WhatIsReleasedBeforeThePeakDoesNotCount) {
  const Memory memory = Memory().allocate(1, 400, kLinear).release(1, 400).allocate(2, 500, kElementwise);
  EXPECT_EQ(memory.peak(1), 500);
  EXPECT_EQ(memory.peak(2), 1000);
}

TEST(PeakMemoryTest, ThePeakMayMoveToAnotherTime) {
  // 600 bytes that stay are the peak of the recording; with more samples it is the 500 bytes of activations.
  const Memory memory = Memory().allocate(1, 600, kOfWeights).release(1, 600).allocate(2, 500, kElementwise);
  EXPECT_EQ(memory.peak(1), 600);
  EXPECT_EQ(memory.peak(4), 2000);
}

TEST(PeakMemoryTest, ParametersGradientsAndStatesKeepTheirSizes) {
  const Memory memory = Memory()
                            .allocate(1, kWeight)                     // the weight itself
                            .allocate(2, kWeight / 2, kOfWeights)     // its copy in 16 bits
                            .allocate(3, kWeight, kLinear, true)      // its gradient, a product of samples
                            .allocate(4, 999, kLinear, false, true);  // a state of the optimizer
  EXPECT_EQ(memory.peak(10), memory.peak(1));
}

TEST(PeakMemoryTest, AnActivationOfAWeightsSizeGrowsInTheForwardPass) {
  EXPECT_EQ(Memory().allocate(1, kWeight, kLinear).peak(2), 2 * kWeight);
}

TEST(PeakMemoryTest, BatchesMadeOutsideOfOperatorsGrow) { EXPECT_EQ(Memory().allocate(1, 100).peak(2), 200); }

TEST(PeakMemoryTest, AnAddressThatIsUsedAgainWasReleasedUnseen) {
  // The allocator reports 100 bytes in all after the second allocation, so the first block is gone.
  Memory memory;
  memory.allocate(1, 100, kLinear);
  memory.begin_with(0).allocate(1, 100, kLinear);
  EXPECT_EQ(memory.peak(3), 300);
}

TEST(PeakMemoryTest, BlocksOfADeviceAreMultiplesOf512Bytes) {
  const Memory memory = Memory(0).allocate(1, 512, kLinear).allocate(2, 1024, kElementwise);
  EXPECT_EQ(memory.peak(1.5), 1024 + 1536);
  EXPECT_EQ(memory.peak(0.125), 512 + 512);
}

TEST(PeakMemoryTest, AbsurdFactorsEndAtTheLargestSize) {
  EXPECT_EQ(Memory().allocate(1, std::int64_t{1} << 40, kLinear).peak(1e30), std::int64_t{1} << 62);
}

TEST(PeakMemoryTest, EventsWithoutAddressesDoNotNameBlocks) {
  AllocationTable table;
  table.memories.push_back({.rank = 0, .device = 0, .events = {{.block = 1}, {.block = 0}}});
  EXPECT_FALSE(RecordedMemory(table, table.memories.front(), ParameterSizes(table.operators)).names_blocks());
}

}  // namespace
}  // namespace stepsim::testing
