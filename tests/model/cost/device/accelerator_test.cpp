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
      {"NVIDIA GeForce RTX 2070 SUPER", "RTX 2070 SUPER"},
      {"NVIDIA GeForce RTX 2080 Super with Max-Q Design", "RTX 2080 SUPER Max-Q"},
      {"NVIDIA GeForce RTX 2070 with Max-Q Design", "RTX 2070 Max-Q"},
      {"NVIDIA GeForce RTX 3050 Laptop GPU", "RTX 3050 Laptop"},
      {"NVIDIA GeForce RTX 3060 Laptop GPU", "RTX 3060 Laptop"},
      {"NVIDIA GeForce RTX 3070 Ti", "RTX 3070 Ti"},
      {"NVIDIA GeForce RTX 3070 Ti Laptop GPU", "RTX 3070 Ti Laptop"},
      {"NVIDIA GeForce RTX 4060 Ti", "RTX 4060 Ti"},
      {"NVIDIA GeForce RTX 4070 Laptop GPU", "RTX 4070 Laptop"},
      {"NVIDIA GeForce RTX 4070 Ti SUPER", "RTX 4070 Ti SUPER"},
      {"NVIDIA GeForce RTX 5070 Ti Laptop GPU", "RTX 5070 Ti Laptop"},
      {"NVIDIA GeForce RTX 5060 Ti", "RTX 5060 Ti"},
      {"Quadro RTX 4000", "Quadro RTX 4000"},
      {"NVIDIA RTX A2000 12GB", "RTX A2000"},
      {"NVIDIA RTX A4500 Laptop GPU", "RTX A4500 Laptop"},
      {"NVIDIA RTX 4000 Ada Generation", "RTX 4000 Ada"},
      {"NVIDIA RTX 4000 SFF Ada Generation", "RTX 4000 SFF Ada"},
      {"NVIDIA RTX 2000 Ada Generation Laptop GPU", "RTX 2000 Ada Laptop"},
      {"NVIDIA RTX PRO 5000 Blackwell", "RTX PRO 5000"},
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

TEST(AcceleratorTest, CapacitiesAreThoseInNamesOrOfTheOnlyForm) {
  const auto gib = [](std::int64_t count) { return std::optional{Bytes{count << 30}}; };
  EXPECT_EQ(capacity_of("NVIDIA A100-SXM4-80GB"), gib(80));
  EXPECT_EQ(capacity_of("NVIDIA A100-PCIE-40GB"), gib(40));
  EXPECT_EQ(capacity_of("h100"), gib(80));
  EXPECT_EQ(capacity_of("H200"), gib(141));
  EXPECT_EQ(capacity_of("NVIDIA GeForce RTX 4090"), gib(24));
  EXPECT_EQ(capacity_of("RTX 3080 12GB"), gib(12));
  EXPECT_EQ(capacity_of("Tesla V100-SXM2-32GB"), gib(32));
  // NVIDIA's data sheets: 1,440 GB of the 8 GPUs of an HGX B200, 372 GB of a GB200 superchip's two.
  EXPECT_EQ(capacity_of("NVIDIA B200"), gib(1440 / 8));
  EXPECT_EQ(capacity_of("B200 192GB"), gib(180));
  EXPECT_EQ(capacity_of("GB200"), gib(372 / 2));
  for (const char* const text : {"V100", "CPU", "", "GB", "Some device 24GB"})
    EXPECT_EQ(capacity_of(text), std::nullopt) << text;
}

TEST(AcceleratorTest, ANumberOfAnotherMemoryIsNotTheCapacity) {
  const auto gib = [](std::int64_t count) { return std::optional{Bytes{count << 30}}; };
  EXPECT_EQ(capacity_of("NVIDIA GH200 480GB"), gib(96)) << "the CPU has 480 GB";
  EXPECT_EQ(capacity_of("NVIDIA GH200 120GB"), gib(96));
  EXPECT_EQ(capacity_of("NVIDIA GH200 144G HBM3e"), gib(144));
  EXPECT_EQ(capacity_of("AMD Instinct MI250X 128GB"), gib(64)) << "one of two dies";
}

TEST(AcceleratorTest, EveryDeviceHasACapacityOrNamesThatHaveOne) {
  for (const Accelerator& device : accelerators()) {
    const std::vector<std::string> names = names_with_size(device.name);
    EXPECT_EQ(capacity_of(device.name).has_value(), names.empty()) << device.name;
    for (const std::string& name : names) {
      EXPECT_TRUE(capacity_of(name)) << name;
      EXPECT_EQ(find_accelerator(name), &device) << name;
    }
  }
  EXPECT_EQ(names_with_size("V100"), (std::vector<std::string>{"V100 SXM2 16GB", "V100 SXM2 32GB"}));
  EXPECT_TRUE(names_with_size("Some device").empty());
}

TEST(AcceleratorTest, UnknownNameIsAnErrorThatNamesTheNearest) {
  const std::string error = thrown_by<UsageError>([&] { return accelerator_named("H201"); });
  EXPECT_THAT(error, ::testing::HasSubstr("no device 'H201' is known; did you mean 'H20' or 'H200'?"));
  EXPECT_THAT(error, ::testing::HasSubstr("'stepsim help devices'"));
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
    // Each share is the part of the vendor's figure that is reached in practice.
    for (const double share : {device.matrix_share, device.simple_share, device.memory_share}) {
      EXPECT_GE(share, 0.35) << device.name;
      EXPECT_LE(share, 1.0) << device.name;
    }
    EXPECT_GE(device.processors, 16U) << device.name << ": the RTX 3050 of laptops has the fewest";
    EXPECT_LE(device.processors, 304U) << device.name << ": the MI300X has the most";
    for (std::size_t i = 1; i < kPrecisionCount; ++i)
      EXPECT_GE(device.peak_flops[i], device.peak_flops[i - 1]) << device.name << ": narrower is not slower";
    // The card with the lowest rate is the P4: 5.5 TFLOP/s, without units for half precision. No card of 2025 exceeds 3
    // PFLOP/s.
    EXPECT_GE(device.peak_flops[static_cast<std::size_t>(Precision::kFloat16)], 5e12) << device.name;
    EXPECT_LE(device.peak_flops[static_cast<std::size_t>(Precision::kFloat16)], 3e15) << device.name;
    EXPECT_GE(device.memory.bytes_per_second(), 1.68e11) << device.name << ": the RTX 3050 of 6 GB has the least";
    EXPECT_LE(device.memory.bytes_per_second(), 8e12) << device.name;
    EXPECT_GE(device.floor, Duration{900}) << device.name;
    EXPECT_LE(device.floor, Duration{5'000}) << device.name;
    EXPECT_GT(device.host_link.bytes_per_second(), 0) << device.name;
    EXPECT_GE(device.cache, 2e6) << device.name << ": P4 and RTX 3050 have the least";
    EXPECT_LE(device.cache, 128e6) << device.name << ": the RTX PRO 6000 has the most";
    // The cache moves 12 bytes per cycle for each multiprocessor. Clocks are between 0.975 GHz (RTX 2080 SUPER Max-Q)
    // and 2.6 GHz (the latest cards).
    EXPECT_GE(device.cache_rate.bytes_per_second(), 12 * 0.97e9 * device.processors) << device.name;
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

TEST(AcceleratorTest, MatrixUnitsAreAPropertyAndNotAFasterRate) {
  const auto has = [](std::string_view name, Precision precision) {
    return accelerator_named(name).has_matrix_units(precision);
  };
  // These cards have no matrix units for half precision and compute it on the units for fp32.
  for (const std::string_view name : {"P100", "P100 PCIe", "MI50", "P40", "GTX 1080 Ti"}) {
    EXPECT_FALSE(has(name, Precision::kFloat16)) << name;
    const Accelerator& device = accelerator_named(name);
    EXPECT_DOUBLE_EQ(device.flops(Precision::kFloat16),
                     device.peak_flops[static_cast<std::size_t>(Precision::kFloat16)] * device.simple_share);
  }
  for (const std::string_view name : {"V100", "T4", "RTX 2080 Ti", "MI100", "MI250"}) {
    EXPECT_TRUE(has(name, Precision::kFloat16)) << name;
    EXPECT_FALSE(has(name, Precision::kTensor32)) << name;
  }
  // The tensor cores of these cards support tf32, even where it is no faster than fp32.
  for (const std::string_view name :
       {"RTX 3060", "RTX 3060 Laptop", "RTX 4090", "L40", "A10G", "A100", "H100", "MI300X"})
    EXPECT_TRUE(has(name, Precision::kTensor32)) << name;
  for (const Accelerator& device : accelerators()) EXPECT_FALSE(device.has_matrix_units(Precision::kFloat32));
}

TEST(AcceleratorTest, PeaksOfCardsFollowFromTheirClocks) {
  // NVIDIA's white papers state 82.6, 165.2 and 330.3 TFLOP/s at 2520 MHz for the RTX 4090 (fp32, fp16, fp8). The same
  // formula gives 52.2 TFLOP/s in fp32 for the RTX 4080 SUPER: 2550 MHz, 80 multiprocessors with 128 lanes.
  const Accelerator& card = accelerator_named("RTX 4080 SUPER");
  EXPECT_NEAR(card.peak_flops[static_cast<std::size_t>(Precision::kFloat32)], 52.2e12, 0.1e12);
  EXPECT_NEAR(card.peak_flops[static_cast<std::size_t>(Precision::kFloat16)], 104.4e12, 0.1e12);
  EXPECT_NEAR(card.peak_flops[static_cast<std::size_t>(Precision::kFloat8)], 208.9e12, 0.1e12);
  // NVIDIA's data sheet of the RTX 4000 Ada states 26.7 TFLOP/s in fp32, and 107 in half precision without sparsity.
  const Accelerator& workstation = accelerator_named("RTX 4000 Ada");
  EXPECT_NEAR(workstation.peak_flops[static_cast<std::size_t>(Precision::kFloat32)], 26.7e12, 0.1e12);
  EXPECT_NEAR(workstation.peak_flops[static_cast<std::size_t>(Precision::kFloat16)], 106.9e12, 0.5e12);
}

TEST(AcceleratorTest, DesktopCardsOfAdaAndBlackwellRunAtTwoAndAHalfGigahertz) {
  // NVIDIA's boost clocks are between 2.41 GHz (RTX 5090) and 2.62 GHz (RTX 5080). A multiprocessor has 128 lanes,
  // which do two operations per cycle.
  std::size_t cards = 0;
  for (const Accelerator& device : accelerators()) {
    const bool desktop = device.name.starts_with("RTX 40") || device.name.starts_with("RTX 50");
    if (!desktop || device.name.find("Laptop") != std::string_view::npos ||
        device.name.find("Ada") != std::string_view::npos)
      continue;
    const double clock = device.peak_flops[static_cast<std::size_t>(Precision::kFloat32)] / (256.0 * device.processors);
    EXPECT_GE(clock, 2.2e9) << device.name;
    EXPECT_LE(clock, 2.7e9) << device.name;
    ++cards;
  }
  EXPECT_GE(cards, 15U);
}

TEST(AcceleratorTest, CachesGoByTheCyclesThatThePeakStandsFor) {
  // A multiprocessor of the L4 has 128 lanes, which do two operations per cycle, so 30.3 TFLOP/s are 118e9 cycles per
  // second of all multiprocessors. The cache moves 12 bytes in each of these cycles.
  EXPECT_NEAR(accelerator_named("L4").cache_rate.bytes_per_second(), 12 * 30.3e12 / 256, 1e6);
  EXPECT_DOUBLE_EQ(accelerator_named("L4").cache, 48e6);
  // A multiprocessor of the A100 has 64 lanes.
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
