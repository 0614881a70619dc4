// Figures are the vendors' own for dense matrices, in TFLOP/s, TB/s and GB/s; `source` names the
// document and its table. docs/models.md says for each whether the vendor's words, or a citation of
// them, could be read when the figures were last gone through. What is no vendor's figure:
//
// * Shares are best measured bf16 products over the peak, from the table "Maximum Achievable
//   Matmul FLOPS" of S. Bekman, Machine Learning Engineering Open Book (accelerator chapter),
//   as of 2025: A100 SXM 271.2 of 312, A100 PCIe 252.9 of 312, H100 SXM 794.5 of 989, B200
//   1745 of 2250, MI250X 147 of 191.5 a die, MI300X 668.4 of 1307, MI325X 784.9 of 1307,
//   MI355X 1565 of 2300. kUsualShare, the middle of its NVIDIA rows, stands for what it lacks.
// * Floors: in captures of PyTorch models one kernel in a hundred takes less than 1.34 us (V100),
//   1.50 us (A100) and 2.24 us (MI210, MI250). Other generations of the two vendors are taken to
//   have the same.
// * fp64 of cards that are made for other work: a 32nd of fp32 on Turing, a 64th on GA10x and AD10x,
//   as the white papers of those architectures have it; the cards' datasheets say nothing of it.
#include "model/cost/device/library.h"

#include <array>

namespace stepsim {
namespace {

constexpr double kUsualShare = 0.81;
constexpr Duration kNvidiaFloor{1'500};
constexpr Duration kAmdFloor{2'240};

/// Each way, of an x16 slot.
constexpr double kPcie3 = 15.75;
constexpr double kPcie4 = 31.5;
constexpr double kPcie5 = 63.0;

/// TFLOP/s by Precision: fp64, fp32, tf32, fp16, fp8.
using Teraflops = std::array<double, kPrecisionCount>;

struct Form {
  std::string_view name;
  std::string_view model;
  std::string_view also;
  Teraflops peak;
  double share;
  double memory_gb_s;
  double host_gb_s;
  std::string_view source;
  bool has_bfloat16 = true;
};

constexpr Bandwidth gb_s(double rate) { return Bandwidth::from_bytes_per_second(rate * 1e9); }

constexpr Accelerator device(const Form& form, Duration floor) {
  Accelerator out{
      form.name, form.model,  form.also,        {}, form.share, gb_s(form.memory_gb_s), gb_s(form.host_gb_s),
      floor,     form.source, form.has_bfloat16};
  for (std::size_t i = 0; i < kPrecisionCount; ++i) out.peak_flops[i] = form.peak[i] * 1e12;
  return out;
}

constexpr Accelerator nvidia(const Form& form) { return device(form, kNvidiaFloor); }
constexpr Accelerator amd(const Form& form) { return device(form, kAmdFloor); }

constexpr std::string_view kV100 = "NVIDIA V100 datasheet (2020), 'Specifications'";
constexpr std::string_view kTuring = "NVIDIA Turing architecture white paper (2018), appendix A, reference card";
constexpr std::string_view kA100 = "NVIDIA A100 datasheet 1758950-r4 (2022), 'Specifications'";
constexpr std::string_view kH100 =
    "NVIDIA H100 datasheet (2023), 'Product Specifications', halved where it counts sparsity";
constexpr std::string_view kMi200 = "AMD Instinct MI250 data sheets (2022), 'Performance', one die";
constexpr std::string_view kMi300 = "AMD Instinct MI300A, MI300X, MI325X data sheets (2023, 2024), 'Specifications'";

// Of several that a name may mean the first counts.
constexpr auto kDevices = std::to_array<Accelerator>({
    nvidia({"V100 SXM2",
            "V100",
            "SXM2 16GB 32GB FHHL DGXS LS N SXM3",
            {7.8, 15.7, 15.7, 125, 125},
            kUsualShare,
            900,
            kPcie3,
            kV100,
            false}),
    nvidia({"V100 PCIe", "V100 PCIe", "16GB 32GB", {7.0, 14, 14, 112, 112}, kUsualShare, 900, kPcie3, kV100, false}),
    nvidia({"T4",
            "T4",
            "16GB",
            {0.254, 8.1, 8.1, 65, 65},
            kUsualShare,
            320,
            kPcie3,
            "NVIDIA T4 datasheet (2019), 'Specifications'",
            false}),
    // With fp32 accumulation, as frameworks have it, a consumer card's tensor cores run at half rate.
    nvidia({"RTX 2080 Ti",
            "2080 Ti",
            "RTX 11GB",
            {0.42, 13.4, 13.4, 53.8, 53.8},
            kUsualShare,
            616,
            kPcie3,
            kTuring,
            false}),
    nvidia({"RTX 3090",
            "3090",
            "RTX 24GB",
            {0.556, 35.6, 35.6, 71, 71},
            kUsualShare,
            936,
            kPcie4,
            "NVIDIA Ampere GA102 white paper (2021), appendix A"}),
    nvidia({"RTX 4090",
            "4090",
            "RTX 24GB",
            {1.29, 82.6, 82.6, 165.2, 330.3},
            kUsualShare,
            1008,
            kPcie4,
            "NVIDIA Ada architecture white paper (2022), appendix A"}),
    nvidia({"A10",
            "A10",
            "24GB PCIe",
            {0.488, 31.2, 62.5, 125, 125},
            kUsualShare,
            600,
            kPcie4,
            "NVIDIA A10 datasheet (2021), 'Specifications'"}),
    nvidia({"A30",
            "A30",
            "24GB PCIe",
            {10.3, 10.3, 82, 165, 165},
            kUsualShare,
            933,
            kPcie4,
            "NVIDIA A30 datasheet (2021), 'Specifications'"}),
    nvidia({"A100 SXM 40GB",
            "A100",
            "SXM4 SXM 40GB PG509 200 PG506 230",
            {19.5, 19.5, 156, 312, 312},
            0.869,
            1555,
            kPcie4,
            kA100}),
    nvidia({"A100 SXM 80GB", "A100 80GB", "SXM4 SXM", {19.5, 19.5, 156, 312, 312}, 0.869, 2039, kPcie4, kA100}),
    nvidia({"A100 PCIe 40GB", "A100 PCIe", "40GB", {19.5, 19.5, 156, 312, 312}, 0.811, 1555, kPcie4, kA100}),
    nvidia({"A100 PCIe 80GB", "A100 PCIe 80GB", "", {19.5, 19.5, 156, 312, 312}, 0.811, 1935, kPcie4, kA100}),
    nvidia({"L4",
            "L4",
            "24GB PCIe",
            {0.473, 30.3, 60, 121, 242},
            kUsualShare,
            300,
            kPcie4,
            "NVIDIA L4 datasheet (2023), 'Specifications', halved where it counts sparsity"}),
    nvidia({"L40S",
            "L40S",
            "48GB PCIe",
            {1.43, 91.6, 183, 362, 733},
            kUsualShare,
            864,
            kPcie4,
            "NVIDIA L40S datasheet (2023), 'Specifications'"}),
    nvidia({"H100 SXM", "H100", "SXM5 SXM 80GB HBM3", {67, 67, 494.7, 989.4, 1978.9}, 0.803, 3350, kPcie5, kH100}),
    nvidia({"H100 PCIe", "H100 PCIe", "80GB HBM2e", {51, 51, 378, 756, 1513}, kUsualShare, 2000, kPcie5, kH100}),
    nvidia({"H100 NVL", "H100 NVL", "94GB HBM3", {60, 60, 417.5, 835, 1671}, kUsualShare, 3900, kPcie5, kH100}),
    nvidia({"H200",
            "H200",
            "SXM5 SXM 141GB HBM3e",
            {67, 67, 494.7, 989.4, 1978.9},
            0.803,
            4800,
            kPcie5,
            "NVIDIA H200 datasheet (2024), 'Specifications', halved where it counts sparsity"}),
    nvidia(
        {"B200",
         "B200",
         "SXM6 SXM 180GB 192GB HBM3e",
         {37, 75, 1100, 2250, 4500},
         0.776,
         7700,
         kPcie5,
         "NVIDIA Blackwell datasheet (2025), 'Technical Specifications', HGX B200, halved where it counts sparsity"}),
    amd({"MI210",
         "MI210",
         "64GB",
         {45.3, 45.3, 45.3, 181, 181},
         0.768,
         1638.4,
         kPcie4,
         "AMD Instinct MI210 brochure (2022), 'Performance'"}),
    amd({"MI250", "MI250", "64GB 128GB", {45.3, 45.3, 45.3, 181, 181}, 0.768, 1638.4, kPcie4, kMi200}),
    amd({"MI250X", "MI250X", "64GB 128GB MI250", {47.9, 47.9, 47.9, 191.5, 191.5}, 0.768, 1638.4, kPcie4, kMi200}),
    amd({"MI300X", "MI300X", "192GB HBM3", {163.4, 163.4, 653.7, 1307.4, 2614.9}, 0.511, 5325, kPcie5, kMi300}),
    amd({"MI300A", "MI300A", "128GB HBM3", {122.6, 122.6, 490.3, 980.6, 1961.2}, 0.511, 5300, kPcie5, kMi300}),
    amd({"MI325X", "MI325X", "256GB HBM3e", {163.4, 163.4, 653.7, 1307.4, 2614.9}, 0.6, 6000, kPcie5, kMi300}),
    amd({"MI355X",
         "MI355X",
         "288GB HBM3e",
         {78.6, 157.3, 157.3, 2516, 5033},
         0.622,
         8000,
         kPcie5,
         "AMD Instinct MI355X data sheet (2025), 'Specifications'"}),
});

}  // namespace

std::span<const Accelerator> accelerators() noexcept { return kDevices; }

}  // namespace stepsim
