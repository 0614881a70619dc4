#include "model/cost/device/accelerator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string_view>
#include <utility>
#include <vector>

#include "model/base/error.h"
#include "tests/thrown_by.h"

namespace stepsim {
namespace {

using stepsim::testing::thrown_by;

std::string_view name_of(std::string_view text) {
  const Accelerator* const found = find_accelerator(text);
  return found == nullptr ? "none" : found->name;
}

TEST(AcceleratorTest, TracesNamesFindTheirDevice) {
  const std::vector<std::pair<std::string_view, std::string_view>> names{
      {"NVIDIA H100 80GB HBM3", "H100 SXM"},
      {"NVIDIA H100 PCIe", "H100 PCIe"},
      {"NVIDIA H200", "H200"},
      {"NVIDIA B200", "B200"},
      {"NVIDIA A100-SXM4-40GB", "A100 SXM 40GB"},
      {"NVIDIA A100-SXM4-80GB", "A100 SXM 80GB"},
      {"NVIDIA A100-PCIE-40GB", "A100 PCIe 40GB"},
      {"NVIDIA A100 80GB PCIe", "A100 PCIe 80GB"},
      {"NVIDIA A100-PG509-200", "A100 SXM 40GB"},
      {"Tesla V100-SXM2-16GB", "V100 SXM2"},
      {"Tesla V100-SXM2-32GB", "V100 SXM2"},
      {"Tesla V100-PCIE-16GB", "V100 PCIe"},
      {"Tesla T4", "T4"},
      {"NVIDIA A10", "A10"},
      {"NVIDIA L4", "L4"},
      {"NVIDIA L40S", "L40S"},
      {"NVIDIA GeForce RTX 2080 Ti", "RTX 2080 Ti"},
      {"NVIDIA GeForce RTX 3060", "RTX 3060"},
      {"NVIDIA GeForce RTX 3060 Ti", "RTX 3060 Ti"},
      {"NVIDIA GeForce RTX 4090", "RTX 4090"},
      {"NVIDIA GeForce RTX 5090", "RTX 5090"},
      {"NVIDIA RTX PRO 6000 Blackwell Server Edition", "RTX PRO 6000"},
      {"NVIDIA RTX 6000 Ada Generation", "RTX 6000 Ada"},
      {"Quadro RTX 6000", "Quadro RTX 6000"},
      {"NVIDIA RTX A6000", "RTX A6000"},
      {"NVIDIA A10G", "A10G"},
      {"NVIDIA A40", "A40"},
      {"NVIDIA L40", "L40"},
      {"NVIDIA H20", "H20"},
      {"NVIDIA GH200 480GB", "GH200"},
      {"Tesla P100-PCIE-16GB", "P100 PCIe"},
      {"Tesla P100-SXM2-16GB", "P100 SXM2"},
      {"Tesla P4", "P4"},
      {"Tesla V100S-PCIE-32GB", "V100S PCIe"},
      {"AMD Instinct MI100", "MI100"},
      {"AMD Instinct MI210", "MI210"},
      {"AMD Instinct MI250X / MI250", "MI250X"},
      {"AMD Instinct MI300X VF", "MI300X"},
  };
  for (const auto& [text, device] : names) EXPECT_EQ(name_of(text), device) << text;
}

TEST(AcceleratorTest, ShortNamesFindTheCommonestForm) {
  EXPECT_EQ(name_of("v100"), "V100 SXM2");
  EXPECT_EQ(name_of("A100"), "A100 SXM 40GB");
  EXPECT_EQ(name_of("a100 80gb"), "A100 SXM 80GB");
  EXPECT_EQ(name_of("h100"), "H100 SXM");
  EXPECT_EQ(name_of("2080ti"), "RTX 2080 Ti");
  EXPECT_EQ(name_of("rtx2080ti"), "RTX 2080 Ti");
  EXPECT_EQ(name_of("mi250"), "MI250");
}

TEST(AcceleratorTest, OwnNamesFindThemselves) {
  for (const Accelerator& device : accelerators()) EXPECT_EQ(find_accelerator(device.name), &device) << device.name;
}

TEST(AcceleratorTest, NothingElseIsTakenForADevice) {
  for (const std::string_view text : {"", "NVIDIA", "100", "H10", "H1000", "GTX 1080", "A10M", "AMD Radeon Graphics"})
    EXPECT_EQ(find_accelerator(text), nullptr) << text;
}

TEST(AcceleratorTest, UnknownNameIsAnErrorThatNamesTheNearest) {
  const std::string error = thrown_by<UsageError>([&] { return accelerator_named("H201"); });
  EXPECT_THAT(error, ::testing::HasSubstr("no device 'H201' is known; did you mean 'H20'?"));
  EXPECT_THAT(error, ::testing::HasSubstr("MI300X"));
}

TEST(AcceleratorTest, AFormsModelIsNearEnoughToo) {
  EXPECT_THAT(thrown_by<UsageError>([&] { return accelerator_named("H1000"); }),
              ::testing::HasSubstr("did you mean 'H100'?"));
}

TEST(AcceleratorTest, UnitsOfTheirOwnAreFasterThanTheNextWiderOnes) {
  const auto has = [](std::string_view name, Precision precision) {
    return accelerator_named(name).computes_in(precision);
  };
  EXPECT_FALSE(has("V100", Precision::kTensor32));
  EXPECT_TRUE(has("V100", Precision::kFloat16));
  EXPECT_TRUE(has("A100", Precision::kTensor32));
  EXPECT_FALSE(has("A100", Precision::kFloat8));
  EXPECT_TRUE(has("H100", Precision::kFloat8));
  EXPECT_FALSE(has("MI250", Precision::kTensor32));
  EXPECT_TRUE(has("MI300X", Precision::kFloat8));
  EXPECT_TRUE(has("V100", Precision::kFloat32));
  EXPECT_FALSE(accelerator_named("T4").has_bfloat16);
  EXPECT_TRUE(accelerator_named("A10").has_bfloat16);
}

TEST(AcceleratorTest, FiguresAreWholeAndInTheRightUnits) {
  for (const Accelerator& device : accelerators()) {
    // Of what the vendor says, a card may reach a few per cent more than all, because clocks may be above the nominal.
    for (const double share : {device.matrix_share, device.simple_share, device.memory_share}) {
      EXPECT_GE(share, 0.35) << device.name;
      EXPECT_LE(share, 1.0) << device.name;
    }
    EXPECT_GE(device.processors, 20U) << device.name;
    EXPECT_LE(device.processors, 304U) << device.name << ": the MI300X has the most";
    for (std::size_t i = 1; i < kPrecisionCount; ++i)
      EXPECT_GE(device.peak_flops[i], device.peak_flops[i - 1]) << device.name << ": narrower is not slower";
    // The P4 has 5.5 TFLOP/s and no units for half precision, no card of 2025 more than 3 PFLOP/s.
    EXPECT_GE(device.peak_flops[static_cast<std::size_t>(Precision::kFloat16)], 5e12) << device.name;
    EXPECT_LE(device.peak_flops[static_cast<std::size_t>(Precision::kFloat16)], 3e15) << device.name;
    EXPECT_GE(device.memory.bytes_per_second(), 1.9e11) << device.name;
    EXPECT_LE(device.memory.bytes_per_second(), 8e12) << device.name;
    EXPECT_GE(device.floor, Duration{900}) << device.name;
    EXPECT_LE(device.floor, Duration{5'000}) << device.name;
    EXPECT_GT(device.host_link.bytes_per_second(), 0) << device.name;
    EXPECT_GE(device.cache, 2e6) << device.name << ": the P4 has the least";
    EXPECT_LE(device.cache, 128e6) << device.name << ": the RTX PRO 6000 has the most";
    // 12 bytes a cycle of each multiprocessor: 1.0 GHz on the P4, 2.6 on the latest cards.
    EXPECT_GE(device.cache_rate.bytes_per_second(), 12 * 1.0e9 * device.processors) << device.name;
    EXPECT_LE(device.cache_rate.bytes_per_second(), 12 * 2.7e9 * device.processors) << device.name;
    EXPECT_EQ(device.resident.threads > 0, device.vendor == Vendor::kNvidia) << device.name;
    EXPECT_FALSE(device.source.empty()) << device.name;
  }
}

TEST(AcceleratorTest, ProductsReachTheShareOfTheUnitsThatDoThem) {
  const Accelerator& h100 = accelerator_named("H100 SXM");
  EXPECT_DOUBLE_EQ(h100.flops(Precision::kFloat32), 67e12 * h100.simple_share);
  EXPECT_DOUBLE_EQ(h100.flops(Precision::kFloat16), 989.4e12 * h100.matrix_share);
  const Accelerator& v100 = accelerator_named("V100 SXM2");
  EXPECT_DOUBLE_EQ(v100.flops(Precision::kTensor32), 15.7e12 * v100.simple_share) << "without units for tf32";
  EXPECT_DOUBLE_EQ(v100.bytes_per_second(), 900e9 * v100.memory_share);
}

TEST(AcceleratorTest, CachesGoByTheCyclesThatThePeakStandsFor) {
  // 58 multiprocessors of 128 lanes, two operations each: 30.3 TFLOP/s are 118e9 cycles a second, of 12 bytes.
  EXPECT_NEAR(accelerator_named("L4").cache_rate.bytes_per_second(), 12 * 30.3e12 / 256, 1e6);
  EXPECT_DOUBLE_EQ(accelerator_named("L4").cache, 48e6);
  // 64 lanes.
  EXPECT_NEAR(accelerator_named("A100").cache_rate.bytes_per_second(), 12 * 19.5e12 / 128, 1e6);
}

TEST(AcceleratorTest, FrameworksConvolveInTf32FromAmpereOn) {
  for (const std::string_view name : {"A100", "RTX 3090", "RTX 4090", "H100", "L4", "B200"})
    EXPECT_TRUE(accelerator_named(name).convolves_in_tf32) << name;
  for (const std::string_view name : {"P100", "V100", "T4", "RTX 2080 Ti", "MI210", "MI300X"})
    EXPECT_FALSE(accelerator_named(name).convolves_in_tf32) << name;
}

}  // namespace
}  // namespace stepsim
