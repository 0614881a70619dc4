// Peaks, bandwidths and links are the vendors' own, for dense matrices, in TFLOP/s, TB/s and GB/s; `source`
// names the document and its table. docs/models.md says for each whether the vendor's words, or a
// citation of them, could be read when the figures were last gone through. What is no vendor's figure:
//
// * `matrix`, the share of the half-precision peak that large products reach. [B]: best measured bf16
//   products over the peak, table "Maximum Achievable Matmul FLOPS" of S. Bekman, Machine Learning
//   Engineering Open Book (accelerator chapter), as of 2025: A100 SXM 271.2 of 312, A100 PCIe 252.9 of
//   312, H100 SXM 794.5 of 989, B200 1745 of 2250, MI250X 147 of 191.5 a die, MI300X 668.4 of 1307,
//   MI325X 784.9 of 1307, MI355X 1565 of 2300. [T]: fitted to tables of single kernels, see
//   docs/fidelity.md, "Another device": A40 and RTX PRO 6000 (0.80, 0.83), RTX 4090 (1.0, its clock is
//   above the one that its peak is given for), V100 (0.70). Of the rest kUsualShare, the middle of
//   [B]'s NVIDIA rows; kLowPowerShare for cards of 75 W and less.
// * `batched`, the share of that which batched products reach: [T], V100 0.78; others reach all of it.
// * `simple`, the same of fp32. [N]: fitted to measured steps of bert_large and gpt2_large (inference)
//   in the artefact of Lee et al., NeuSight, ASPLOS 2025: T4 0.60, V100 1.0 (its clock is above the one
//   that its peak is given for), L4 0.40 (72 W), A100 0.90, H100 0.78, MI210 0.70. Others have the share
//   of their kind: kOneIssueShare where an fp32 operation has an issue slot of its own (64 lanes a
//   multiprocessor: P100, V100, Turing, A100), kTwoIssueShare where it shares one with integers (128
//   lanes: GA10x, Ada, Hopper, Blackwell), as the A100 and the H100 have it.
// * `bandwidth`, the share of the memory's bandwidth that a pass over memory reaches. [N]'s operators of
//   32 MB and more: T4 0.70, V100 0.91, L4 0.77, A100 PCIe 0.86 and 0.82, H100 0.92 (0.89 there, 0.96
//   in [T]), MI210 0.78; [T]: A40 0.84, A100 SXM 0.88, RTX 4090 0.92, RTX PRO 6000 0.85. kUsualBandwidth
//   is the middle of NVIDIA's, and the MI210 stands for AMD's.
// * Floors: what 5 % of the elementwise kernels of captured PyTorch models fall short of: T4 2.7 us,
//   V100 1.7, A100 1.6, RTX 3060 1.1 to 1.9, RTX 4090 1.0, RTX 5090 0.9, H100 1.6. Others have that of their
//   generation. AMD's differ much by capture (MI210 3.4, MI300X 2.0 and 4.5): taken is 2.24 us, which one kernel in
//   a hundred falls short of on MI210 and MI250.
// * fp64 of cards that are made for other work: a 32nd of fp32 up to Turing, a 64th on GA10x and
//   later, as the white papers of those architectures have it; the cards' datasheets say nothing of it.
#include "model/cost/device/library.h"

#include <array>

namespace stepsim {
namespace {

constexpr double kUsualShare = 0.81;
constexpr double kLowPowerShare = 0.5;
constexpr double kOneIssueShare = 0.9;
constexpr double kTwoIssueShare = 0.75;
constexpr double kUsualBandwidth = 0.86;
constexpr double kAmdSimpleShare = 0.7;
constexpr double kAmdBandwidth = 0.78;
constexpr Duration kVoltaFloor{1'700};
constexpr Duration kTuringFloor{2'000};
constexpr Duration kT4Floor{2'700};
constexpr Duration kAmpereFloor{1'600};
constexpr Duration kGa10xFloor{1'300};
constexpr Duration kAdaFloor{1'000};
constexpr Duration kHopperFloor{1'600};
constexpr Duration kRtxBlackwellFloor{900};
constexpr Duration kAmdFloor{2'240};

/// Each way, of an x16 slot.
constexpr double kPcie3 = 15.75;
constexpr double kPcie4 = 31.5;
constexpr double kPcie5 = 63.0;

/// TFLOP/s by Precision: fp64, fp32, tf32, fp16, fp8.
using Teraflops = std::array<double, kPrecisionCount>;

struct Shares {
  double matrix = kUsualShare;
  double simple = kTwoIssueShare;
  double bandwidth = kUsualBandwidth;
  bool is_measured = false;
  double batched = 1;
};

struct Form {
  std::string_view name;
  std::string_view model;
  std::string_view also;
  std::uint32_t processors;
  Teraflops peak;
  double memory_gb_s;
  double host_gb_s;
  Shares share;
  Duration floor;
  std::string_view source;
};

constexpr Bandwidth gb_s(double rate) { return Bandwidth::from_bytes_per_second(rate * 1e9); }

constexpr Accelerator device(const Form& form) {
  Accelerator out;
  out.name = form.name;
  out.model = form.model;
  out.also = form.also;
  for (std::size_t i = 0; i < kPrecisionCount; ++i) out.peak_flops[i] = form.peak[i] * 1e12;
  out.matrix_share = form.share.matrix;
  out.simple_share = form.share.simple;
  out.memory = gb_s(form.memory_gb_s);
  out.memory_share = form.share.bandwidth;
  out.host_link = gb_s(form.host_gb_s);
  out.floor = form.floor;
  out.source = form.source;
  out.processors = form.processors;
  out.is_measured = form.share.is_measured;
  out.batched_share = form.share.batched;
  return out;
}

/// GPUs of Ampere and later: bf16, and convolutions in tf32.
constexpr Accelerator nvidia(const Form& form) {
  Accelerator out = device(form);
  out.convolves_in_tf32 = true;
  return out;
}

/// GPUs up to Turing.
constexpr Accelerator early_nvidia(const Form& form) {
  Accelerator out = device(form);
  out.has_bfloat16 = false;
  return out;
}

constexpr Accelerator amd(const Form& form) {
  Accelerator out = device(form);
  out.vendor = Vendor::kAmd;
  return out;
}

constexpr Shares kOneIssue{kUsualShare, kOneIssueShare};
constexpr Shares kTwoIssue{};
constexpr Shares kV100Share{0.70, 1.0, 0.91, true, 0.78};
constexpr Shares kT4Share{kLowPowerShare, 0.60, 0.72, true};
constexpr Shares kL4Share{kLowPowerShare, 0.40, 0.77, true};
constexpr Shares kA100Share{0.869, 0.90, 0.88, true};
constexpr Shares kH100Share{0.803, 0.78, 0.92, true};
constexpr Shares kAda{1.0, kTwoIssueShare, 0.92};

constexpr std::string_view kPascal = "NVIDIA Tesla P100 white paper (2016) and Tesla P4, P40 data sheets (2016)";
constexpr std::string_view kV100 = "NVIDIA V100 datasheet (2020), 'Specifications'";
constexpr std::string_view kTuring = "NVIDIA Turing architecture white paper (2018), appendix A, reference card";
constexpr std::string_view kGa102 = "NVIDIA Ampere GA102 white paper (2021), appendix A";
constexpr std::string_view kA100 = "NVIDIA A100 datasheet 1758950-r4 (2022), 'Specifications'";
constexpr std::string_view kAda102 = "NVIDIA Ada architecture white paper (2022), appendix A";
constexpr std::string_view kH100 =
    "NVIDIA H100 datasheet (2023), 'Product Specifications', halved where it counts sparsity";
constexpr std::string_view kH200 = "NVIDIA H200 datasheet (2024), 'Specifications', halved where it counts sparsity";
constexpr std::string_view kRtxBlackwell = "NVIDIA RTX Blackwell architecture white papers (2025), appendix A";
constexpr std::string_view kMi200 = "AMD Instinct MI250 data sheets (2022), 'Performance', one die";
constexpr std::string_view kMi300 = "AMD Instinct MI300A, MI300X, MI325X data sheets (2023, 2024), 'Specifications'";
constexpr std::string_view kMi100 = "AMD Instinct MI100 brochure (2020), 'Performance'";

// With fp32 accumulation, as frameworks have it, a consumer card's tensor cores run at half rate. Of
// several that a name may mean the first counts.
constexpr auto kDevices = std::to_array<Accelerator>({
    early_nvidia({"P100 SXM2",
                  "P100",
                  "SXM2 16GB",
                  56,
                  {5.3, 10.6, 10.6, 21.2, 21.2},
                  732,
                  kPcie3,
                  kOneIssue,
                  kVoltaFloor,
                  kPascal}),
    early_nvidia({"P100 PCIe",
                  "P100 PCIe",
                  "16GB 12GB",
                  56,
                  {4.7, 9.3, 9.3, 18.7, 18.7},
                  732,
                  kPcie3,
                  kOneIssue,
                  kVoltaFloor,
                  kPascal}),
    early_nvidia(
        {"P40", "P40", "24GB", 30, {0.367, 11.76, 11.76, 11.76, 11.76}, 346, kPcie3, kOneIssue, kVoltaFloor, kPascal}),
    early_nvidia({"P4",
                  "P4",
                  "8GB",
                  20,
                  {0.172, 5.5, 5.5, 5.5, 5.5},
                  192,
                  kPcie3,
                  {kLowPowerShare, 0.6, 0.8},
                  kVoltaFloor,
                  kPascal}),
    early_nvidia({"GTX 1080 Ti",
                  "1080 Ti",
                  "GTX 11GB",
                  28,
                  {0.354, 11.3, 11.3, 11.3, 11.3},
                  484,
                  kPcie3,
                  kOneIssue,
                  kVoltaFloor,
                  "NVIDIA GeForce GTX 1080 Ti specifications (2017)"}),
    early_nvidia({"V100 SXM2",
                  "V100",
                  "SXM2 16GB 32GB FHHL DGXS LS N SXM3",
                  80,
                  {7.8, 15.7, 15.7, 125, 125},
                  900,
                  kPcie3,
                  kV100Share,
                  kVoltaFloor,
                  kV100}),
    early_nvidia({"V100 PCIe",
                  "V100 PCIe",
                  "16GB 32GB",
                  80,
                  {7.0, 14, 14, 112, 112},
                  900,
                  kPcie3,
                  kV100Share,
                  kVoltaFloor,
                  kV100}),
    early_nvidia({"V100S PCIe",
                  "V100S",
                  "PCIe 32GB",
                  80,
                  {8.2, 16.4, 16.4, 130, 130},
                  1134,
                  kPcie3,
                  kV100Share,
                  kVoltaFloor,
                  kV100}),
    early_nvidia({"TITAN V",
                  "TITAN V",
                  "12GB",
                  80,
                  {7.45, 14.9, 14.9, 119, 119},
                  653,
                  kPcie3,
                  {0.70, 1.0, 0.91},
                  kVoltaFloor,
                  "NVIDIA TITAN V user guide (2017), specifications"}),
    early_nvidia({"T4",
                  "T4",
                  "16GB",
                  40,
                  {0.254, 8.1, 8.1, 65, 65},
                  320,
                  kPcie3,
                  kT4Share,
                  kT4Floor,
                  "NVIDIA T4 datasheet (2019), 'Specifications'"}),
    early_nvidia({"RTX 2060",
                  "2060",
                  "RTX 6GB",
                  30,
                  {0.2, 6.5, 6.5, 25.8, 25.8},
                  336,
                  kPcie3,
                  kOneIssue,
                  kTuringFloor,
                  kTuring}),
    early_nvidia({"RTX 2070",
                  "2070",
                  "RTX 8GB",
                  36,
                  {0.23, 7.5, 7.5, 29.9, 29.9},
                  448,
                  kPcie3,
                  kOneIssue,
                  kTuringFloor,
                  kTuring}),
    early_nvidia({"RTX 2080",
                  "2080",
                  "RTX 8GB",
                  46,
                  {0.31, 10.1, 10.1, 40.3, 40.3},
                  448,
                  kPcie3,
                  kOneIssue,
                  kTuringFloor,
                  kTuring}),
    early_nvidia({"RTX 2080 Ti",
                  "2080 Ti",
                  "RTX 11GB",
                  68,
                  {0.42, 13.4, 13.4, 53.8, 53.8},
                  616,
                  kPcie3,
                  kOneIssue,
                  kTuringFloor,
                  kTuring}),
    early_nvidia({"TITAN RTX",
                  "TITAN RTX",
                  "24GB",
                  72,
                  {0.51, 16.3, 16.3, 130.5, 130.5},
                  672,
                  kPcie3,
                  kOneIssue,
                  kTuringFloor,
                  kTuring}),
    early_nvidia({"Quadro RTX 6000",
                  "RTX 6000",
                  "Quadro 24GB",
                  72,
                  {0.51, 16.3, 16.3, 130.5, 130.5},
                  672,
                  kPcie3,
                  kOneIssue,
                  kTuringFloor,
                  kTuring}),
    early_nvidia({"Quadro RTX 8000",
                  "RTX 8000",
                  "Quadro 48GB",
                  72,
                  {0.51, 16.3, 16.3, 130.5, 130.5},
                  672,
                  kPcie3,
                  kOneIssue,
                  kTuringFloor,
                  kTuring}),
    nvidia({"RTX 3060",
            "3060",
            "RTX 12GB",
            28,
            {0.199, 12.7, 12.7, 25.5, 25.5},
            360,
            kPcie4,
            kTwoIssue,
            kGa10xFloor,
            kGa102}),
    nvidia({"RTX 3060 Ti",
            "3060 Ti",
            "RTX 8GB",
            38,
            {0.253, 16.2, 16.2, 32.4, 32.4},
            448,
            kPcie4,
            kTwoIssue,
            kGa10xFloor,
            kGa102}),
    nvidia({"RTX 3070",
            "3070",
            "RTX 8GB",
            46,
            {0.318, 20.3, 20.3, 40.6, 40.6},
            448,
            kPcie4,
            kTwoIssue,
            kGa10xFloor,
            kGa102}),
    nvidia({"RTX 3080",
            "3080",
            "RTX 10GB",
            68,
            {0.465, 29.8, 29.8, 59.5, 59.5},
            760,
            kPcie4,
            kTwoIssue,
            kGa10xFloor,
            kGa102}),
    nvidia({"RTX 3080 Ti",
            "3080 Ti",
            "RTX 12GB",
            80,
            {0.532, 34.1, 34.1, 68.2, 68.2},
            912,
            kPcie4,
            kTwoIssue,
            kGa10xFloor,
            kGa102}),
    nvidia(
        {"RTX 3090", "3090", "RTX 24GB", 82, {0.556, 35.6, 35.6, 71, 71}, 936, kPcie4, kTwoIssue, kGa10xFloor, kGa102}),
    nvidia({"RTX 3090 Ti",
            "3090 Ti",
            "RTX 24GB",
            84,
            {0.625, 40, 40, 80, 80},
            1008,
            kPcie4,
            kTwoIssue,
            kGa10xFloor,
            kGa102}),
    nvidia({"RTX A4000",
            "A4000",
            "RTX 16GB",
            48,
            {0.3, 19.2, 38.3, 76.7, 76.7},
            448,
            kPcie4,
            kTwoIssue,
            kGa10xFloor,
            kGa102}),
    nvidia({"RTX A5000",
            "A5000",
            "RTX 24GB",
            64,
            {0.434, 27.8, 55.6, 111.1, 111.1},
            768,
            kPcie4,
            kTwoIssue,
            kGa10xFloor,
            kGa102}),
    nvidia({"RTX A6000",
            "A6000",
            "RTX 48GB",
            84,
            {0.605, 38.7, 77.4, 154.8, 154.8},
            768,
            kPcie4,
            kTwoIssue,
            kGa10xFloor,
            kGa102}),
    nvidia({"A10",
            "A10",
            "24GB PCIe",
            72,
            {0.488, 31.2, 62.5, 125, 125},
            600,
            kPcie4,
            kTwoIssue,
            kGa10xFloor,
            "NVIDIA A10 datasheet (2021), 'Specifications'"}),
    nvidia({"A10G",
            "A10G",
            "24GB PCIe",
            80,
            {0.547, 35, 35, 70, 70},
            600,
            kPcie4,
            kTwoIssue,
            kGa10xFloor,
            "NVIDIA A10G datasheet (2021), 'Specifications', as AWS sells it"}),
    nvidia({"A30",
            "A30",
            "24GB PCIe",
            56,
            {10.3, 10.3, 82, 165, 165},
            933,
            kPcie4,
            kOneIssue,
            kAmpereFloor,
            "NVIDIA A30 datasheet (2021), 'Specifications'"}),
    nvidia({"A40",
            "A40",
            "48GB PCIe",
            84,
            {0.585, 37.4, 74.8, 149.7, 149.7},
            696,
            kPcie4,
            {0.80, kTwoIssueShare, 0.84, true},
            kGa10xFloor,
            "NVIDIA A40 datasheet (2021), 'Specifications', halved where it counts sparsity"}),
    nvidia({"A100 SXM 40GB",
            "A100",
            "SXM4 SXM 40GB PG509 200 PG506 230",
            108,
            {19.5, 19.5, 156, 312, 312},
            1555,
            kPcie4,
            kA100Share,
            kAmpereFloor,
            kA100}),
    nvidia({"A100 SXM 80GB",
            "A100 80GB",
            "SXM4 SXM",
            108,
            {19.5, 19.5, 156, 312, 312},
            2039,
            kPcie4,
            kA100Share,
            kAmpereFloor,
            kA100}),
    nvidia({"A100 PCIe 40GB",
            "A100 PCIe",
            "40GB",
            108,
            {19.5, 19.5, 156, 312, 312},
            1555,
            kPcie4,
            {0.811, 0.90, 0.86, true},
            kAmpereFloor,
            kA100}),
    nvidia({"A100 PCIe 80GB",
            "A100 PCIe 80GB",
            "",
            108,
            {19.5, 19.5, 156, 312, 312},
            1935,
            kPcie4,
            {0.811, 0.90, 0.82, true},
            kAmpereFloor,
            kA100}),
    nvidia({"A800 SXM",
            "A800",
            "SXM4 SXM 80GB 40GB",
            108,
            {19.5, 19.5, 156, 312, 312},
            2039,
            kPcie4,
            {0.869, 0.90, 0.88},
            kAmpereFloor,
            kA100}),
    nvidia({"RTX 4060", "4060", "RTX 8GB", 24, {0.236, 15.1, 15.1, 30.2, 60.4}, 272, kPcie4, kAda, kAdaFloor, kAda102}),
    nvidia(
        {"RTX 4070", "4070", "RTX 12GB", 46, {0.455, 29.1, 29.1, 58.3, 116.6}, 504, kPcie4, kAda, kAdaFloor, kAda102}),
    nvidia(
        {"RTX 4080", "4080", "RTX 16GB", 76, {0.761, 48.7, 48.7, 97.5, 194.9}, 717, kPcie4, kAda, kAdaFloor, kAda102}),
    nvidia({"RTX 4090",
            "4090",
            "RTX 24GB",
            128,
            {1.29, 82.6, 82.6, 165.2, 330.3},
            1008,
            kPcie4,
            {1.0, kTwoIssueShare, 0.92, true},
            kAdaFloor,
            kAda102}),
    nvidia({"RTX 6000 Ada",
            "RTX 6000 Ada",
            "Generation 48GB",
            142,
            {1.42, 91.1, 182.1, 364.2, 728.5},
            960,
            kPcie4,
            kTwoIssue,
            kAdaFloor,
            "NVIDIA RTX 6000 Ada datasheet (2023), 'Specifications', halved where it counts sparsity"}),
    nvidia({"L4",
            "L4",
            "24GB PCIe",
            58,
            {0.473, 30.3, 60, 121, 242},
            300,
            kPcie4,
            kL4Share,
            kAdaFloor,
            "NVIDIA L4 datasheet (2023), 'Specifications', halved where it counts sparsity"}),
    nvidia({"L40",
            "L40",
            "48GB PCIe",
            142,
            {1.41, 90.5, 90.5, 181, 362},
            864,
            kPcie4,
            kTwoIssue,
            kAdaFloor,
            "NVIDIA L40 datasheet (2022), 'Specifications', halved where it counts sparsity"}),
    nvidia({"L40S",
            "L40S",
            "48GB PCIe",
            142,
            {1.43, 91.6, 183, 362, 733},
            864,
            kPcie4,
            kTwoIssue,
            kAdaFloor,
            "NVIDIA L40S datasheet (2023), 'Specifications'"}),
    nvidia({"H100 SXM",
            "H100",
            "SXM5 SXM 80GB HBM3",
            132,
            {67, 67, 494.7, 989.4, 1978.9},
            3350,
            kPcie5,
            kH100Share,
            kHopperFloor,
            kH100}),
    nvidia({"H100 PCIe",
            "H100 PCIe",
            "80GB HBM2e",
            114,
            {51, 51, 378, 756, 1513},
            2000,
            kPcie5,
            {0.75, 0.78, 0.92},
            kHopperFloor,
            kH100}),
    nvidia({"H100 NVL",
            "H100 NVL",
            "94GB HBM3",
            132,
            {60, 60, 417.5, 835, 1671},
            3900,
            kPcie5,
            {kUsualShare, 0.78, 0.92},
            kHopperFloor,
            kH100}),
    nvidia({"H800 SXM",
            "H800",
            "SXM5 SXM 80GB HBM3",
            132,
            {1, 67, 494.7, 989.4, 1978.9},
            3350,
            kPcie5,
            {0.803, 0.78, 0.92},
            kHopperFloor,
            kH100}),
    nvidia({"H20",
            "H20",
            "SXM5 SXM 96GB HBM3",
            78,
            {1, 44, 74, 148, 296},
            4000,
            kPcie5,
            {0.9, 0.78, 0.92},
            kHopperFloor,
            "NVIDIA H20 figures as resellers quote them (2024)"}),
    nvidia({"GH200",
            "GH200",
            "480GB 96GB 120GB HBM3 144G HBM3e",
            132,
            {67, 67, 494.7, 989.4, 1978.9},
            4000,
            450,
            {0.803, 0.78, 0.92},
            kHopperFloor,
            "NVIDIA GH200 datasheet (2023), 'Specifications', 96 GB, halved where it counts sparsity"}),
    nvidia({"H200",
            "H200",
            "SXM5 SXM 141GB HBM3e",
            132,
            {67, 67, 494.7, 989.4, 1978.9},
            4800,
            kPcie5,
            {0.803, 0.78, 0.90},
            kHopperFloor,
            kH200}),
    nvidia({"RTX 5070",
            "5070",
            "RTX 12GB",
            48,
            {0.482, 30.9, 30.9, 61.7, 123.5},
            672,
            kPcie5,
            kTwoIssue,
            kRtxBlackwellFloor,
            kRtxBlackwell}),
    nvidia({"RTX 5080",
            "5080",
            "RTX 16GB",
            84,
            {0.88, 56.3, 56.3, 112.6, 225.1},
            960,
            kPcie5,
            kTwoIssue,
            kRtxBlackwellFloor,
            kRtxBlackwell}),
    nvidia({"RTX 5090",
            "5090",
            "RTX 32GB",
            170,
            {1.64, 104.8, 104.8, 209.5, 419},
            1792,
            kPcie5,
            {0.9, kTwoIssueShare, 0.88},
            kRtxBlackwellFloor,
            kRtxBlackwell}),
    nvidia({"RTX PRO 6000",
            "RTX PRO 6000",
            "Blackwell Server Workstation Edition Max Q 96GB",
            188,
            {1.97, 126, 251.9, 503.8, 1007.6},
            1792,
            kPcie5,
            {0.83, kTwoIssueShare, 0.85, true},
            kRtxBlackwellFloor,
            kRtxBlackwell}),
    nvidia(
        {"B200",
         "B200",
         "SXM6 SXM 180GB 192GB HBM3e",
         148,
         {37, 75, 1100, 2250, 4500},
         7700,
         kPcie5,
         {0.776, 0.78, 0.90},
         kHopperFloor,
         "NVIDIA Blackwell datasheet (2025), 'Technical Specifications', HGX B200, halved where it counts sparsity"}),
    nvidia({"GB200",
            "GB200",
            "192GB 186GB HBM3e",
            152,
            {40, 80, 1250, 2500, 5000},
            8000,
            450,
            {0.776, 0.78, 0.90},
            kHopperFloor,
            "NVIDIA GB200 NVL72 datasheet (2024), 'Specifications', a GPU, halved where it counts sparsity"}),
    amd({"MI50",
         "MI50",
         "32GB 16GB",
         60,
         {6.6, 13.3, 13.3, 26.5, 26.5},
         1024,
         kPcie4,
         {0.768, kAmdSimpleShare, kAmdBandwidth},
         kAmdFloor,
         "AMD Radeon Instinct MI50 data sheet (2018)"}),
    amd({"MI100",
         "MI100",
         "32GB",
         120,
         {11.5, 46.1, 46.1, 184.6, 184.6},
         1228.8,
         kPcie4,
         {0.7, 0.65, kAmdBandwidth},
         kAmdFloor,
         kMi100}),
    amd({"MI210",
         "MI210",
         "64GB",
         104,
         {45.3, 45.3, 45.3, 181, 181},
         1638.4,
         kPcie4,
         {0.768, 0.70, 0.78, true},
         kAmdFloor,
         "AMD Instinct MI210 brochure (2022), 'Performance'"}),
    amd({"MI250",
         "MI250",
         "64GB 128GB",
         104,
         {45.3, 45.3, 45.3, 181, 181},
         1638.4,
         kPcie4,
         {0.768, kAmdSimpleShare, kAmdBandwidth},
         kAmdFloor,
         kMi200}),
    amd({"MI250X",
         "MI250X",
         "64GB 128GB MI250",
         110,
         {47.9, 47.9, 47.9, 191.5, 191.5},
         1638.4,
         kPcie4,
         {0.768, kAmdSimpleShare, kAmdBandwidth},
         kAmdFloor,
         kMi200}),
    amd({"MI300X",
         "MI300X",
         "192GB HBM3",
         304,
         {163.4, 163.4, 653.7, 1307.4, 2614.9},
         5325,
         kPcie5,
         {0.511, kAmdSimpleShare, kAmdBandwidth},
         kAmdFloor,
         kMi300}),
    amd({"MI300A",
         "MI300A",
         "128GB HBM3",
         228,
         {122.6, 122.6, 490.3, 980.6, 1961.2},
         5300,
         kPcie5,
         {0.511, kAmdSimpleShare, kAmdBandwidth},
         kAmdFloor,
         kMi300}),
    amd({"MI325X",
         "MI325X",
         "256GB HBM3e",
         304,
         {163.4, 163.4, 653.7, 1307.4, 2614.9},
         6000,
         kPcie5,
         {0.6, kAmdSimpleShare, kAmdBandwidth},
         kAmdFloor,
         kMi300}),
    amd({"MI355X",
         "MI355X",
         "288GB HBM3e",
         256,
         {78.6, 157.3, 157.3, 2516, 5033},
         8000,
         kPcie5,
         {0.622, kAmdSimpleShare, kAmdBandwidth},
         kAmdFloor,
         "AMD Instinct MI355X data sheet (2025), 'Specifications'"}),
    amd({"RX 7900 XTX",
         "7900 XTX",
         "RX 24GB",
         96,
         {1.92, 61.4, 61.4, 122.8, 122.8},
         960,
         kPcie4,
         {0.6, 0.5, 0.85},
         kAmdFloor,
         "AMD Radeon RX 7900 XTX specifications (2022)"}),
});

}  // namespace

std::span<const Accelerator> accelerators() noexcept { return kDevices; }

}  // namespace stepsim
