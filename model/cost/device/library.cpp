// Peaks, bandwidths and links are the vendors' own figures for dense matrices, in TFLOP/s, TB/s and GB/s; `source`
// names the document and its table. docs/internals/models.md says for each figure whether the vendor's document, or a
// citation of it, could be read at the last review. The following are not vendors' figures:
//
// - `matrix`: the share of the half-precision peak that large products reach. [B]: best measured bf16 products over the
//   peak, table "Maximum Achievable Matmul FLOPS" of S. Bekman, Machine Learning Engineering Open Book (accelerator
//   chapter), as of 2025: A100 SXM 271.2 of 312, A100 PCIe 252.9 of 312, H100 SXM 794.5 of 989, B200 1745 of 2250,
//   MI250X 147 of 191.5 per die, MI300X 668.4 of 1307, MI325X 784.9 of 1307, MI355X 1565 of 2516. [T]: fitted to tables
//   of single kernels, see docs/internals/fidelity.md, "Another GPU": A40 and RTX PRO 6000 (0.80, 0.83), RTX 4090
//   (1.0, because its clock is above the one its peak is given for), V100 (0.70). [G]: fitted to bf16 products larger
//   than the cache in NVIDIA's aiconfigurator, so that they are as far above their best time as those of A100 and H100:
//   B200 0.70 (0.776 in [B]), L40S 0.60 (350 W; its peak is given for a clock that large products do not keep). T4
//   0.37: 24 of 65 TFLOP/s, products of 4096 x 4096 one after another, which its 70 W limit (NVIDIA developer forum,
//   "About GPU peak performance", topic 264462, 2023).
// - `batched`: the share of that rate that batched products reach. [T]: V100 0.78; 1 for other devices.
// - `step`: the share of the rate of large products that products reach in a training step. [M]: fitted to steps of
//   MPT models with FSDP on 8 to 512 devices (MosaicML, llm-foundry, scripts/train/benchmarking, 2023): A100 0.86, H100
//   0.70, which is its `early_step`, for steps with the libraries of 2022 and 2023. With later ones it has the A100's
//   share: FSDP on Azure would need 0.79, NVIDIA's NeMo 0.95, milabench's BERT 0.68 (docs/internals/fidelity.md). B200:
//   0.68, from 514 products of steps that SimuMax measured on one (b200_system.json, v1.2, 2026): all together reach
//   0.477 of the peak, or 0.68 of `matrix`. (Those that it measured on an A100 PCIe reach 0.90 of it.) GH200, H200 and
//   like devices have the H100's, GB200 the B200's. kUsualStep, the A100's, is used for other devices.
// - `simple`: the share of the fp32 peak that large products reach. [N]: fitted to measured steps of bert_large and
//   gpt2_large (inference) in the artefact of Lee et al., NeuSight, ASPLOS 2025: T4 0.60, V100 1.0 (because its clock
//   is above the one its peak is given for), L4 0.39 (72 W), A100 0.90, H100 0.78, MI210 0.70.
// - `bandwidth`: the share of the memory's bandwidth that a pass over memory reaches. [N], operators of 32 MB and more:
//   T4 0.70, V100 0.91, L4 0.77, A100 PCIe 0.86 and 0.82, H100 0.92 (0.89 in [N], 0.96 in [T]), MI210 0.78. [T]: A40
//   0.84, A100 SXM 0.88, RTX 4090 0.92, RTX PRO 6000 0.85. [G], products of few rows: B200 0.87, L40S 0.85.
// - Shares without a measurement (Shares::is_measured is false, which widens the range of answers). kUsualShare is the
//   median of [B]'s NVIDIA rows, kUsualBandwidth the median of NVIDIA's measured ones. kLowPowerShare, one half, is for
//   cards of 75 W and less. kOneIssueShare is for designs in which fp32 operations have a separate issue slot (64 lanes
//   per multiprocessor: P100, V100, Turing, A100); kTwoIssueShare is for designs in which they share it with integers
//   (128 lanes: GA10x, Ada, Hopper, Blackwell); the values are those of A100 and H100. Ada cards have the RTX 4090's
//   shares, their laptop versions kUsualShare. AMD's other devices have the shares of MI250X ([B]) and MI210 ([N]).
//   TITAN V, A800, H800, H20, H100 NVL, GH200 and H200 have those of V100, A100 and H100. H100 PCIe has those of H100
//   SXM, reduced as A100 PCIe is relative to A100 SXM. GB200 has the B200's, and both have the H100's for fp32. P4 has
//   the T4's.
// - Floors, the durations of kernels with almost no work: the 5th percentile of the durations of elementwise kernels in
//   captured PyTorch models: T4 2.7 us, V100 1.7, A100 1.6, RTX 3060 1.1 to 1.9, RTX 4090 1.0, RTX 5090 0.9, H100 1.6.
//   Other devices have the floor of their generation. AMD's vary between captures (MI210 3.4, MI300X 2.0 and 4.5); the
//   value used is 2.24 us, the 1st percentile on MI210 and MI250.
// - Caches: the L2, from the same data sheets and white papers. AMD's Infinity Cache is not counted: it is next to the
//   memory, and passes of Qwen on an MI300X that would fit into it are hardly faster than memory. A pass over cached
//   data moves kCachedBytes per multiprocessor and cycle, at the clock that the fp32 peak is based on. Additions and
//   products of captured ParT models on an A100 (40 MB) reach 11 to 13 bytes, [N]'s elementwise operators on the L4 (48
//   MB) 13 to 17, vidur's additions on A100 and H100 14 to 19.
// - Memory: the sizes such as "80GB" in a row, from the same source (B200: 1,440 GB of 8 GPUs in an HGX; GB200: 372 GB
//   of 2). A row without one size is of a model that is sold with several. Numbers without "GB" occur in names, but are
//   not what a device can allocate: the host's memory next to a GH200, both dies of an MI250, and the memory of a B200
//   of which 180 GB are enabled.
// - Resources of a multiprocessor: NVIDIA, CUDA C++ Programming Guide, "Technical Specifications per Compute
//   Capability". AMD's captures do not contain registers, so its devices have none.
// - fp64 of cards made for other purposes: 1/32 of fp32 up to Turing, 1/64 on GA10x and later, according to the white
//   papers of those architectures; the cards' data sheets do not give it.
#include "model/cost/device/accelerator.h"

#include <algorithm>
#include <array>

namespace stepsim {
namespace {

constexpr double kUsualShare = 0.81;
constexpr double kLowPowerShare = 0.5;
constexpr double kUsualStep = 0.86;
constexpr double kEarlyHopperStep = 0.70;
constexpr double kBlackwellStep = 0.68;
constexpr double kOneIssueShare = 0.9;
constexpr double kTwoIssueShare = 0.75;
constexpr double kUsualBandwidth = 0.86;
constexpr double kAmdShare = 0.768;
constexpr double kAmdSimpleShare = 0.7;
constexpr double kAmdBandwidth = 0.78;
/// The software stack of a device's vendor, and how it uses the device's units.
struct Maker {
  Vendor vendor;
  bool has_bfloat16;
  bool convolves_in_tf32;
};
constexpr Maker kEarlyNvidia{Vendor::kNvidia, false, false};  // NVIDIA's devices up to Turing
constexpr Maker kNvidia{Vendor::kNvidia, true, true};
constexpr Maker kAmd{Vendor::kAmd, true, false};

constexpr std::size_t kNoMatrixUnits = kPrecisionCount;
constexpr auto kHalf = static_cast<std::size_t>(Precision::kFloat16);
constexpr auto kTf32 = static_cast<std::size_t>(Precision::kTensor32);

/// Properties that devices of one design share.
struct Generation {
  Maker maker;
  std::size_t matrix_from;  ///< the widest Precision with matrix units that are faster than fp32's
  Duration floor;
  double lanes;  ///< fp32 multiply-adds that a multiprocessor can start per cycle
  Residency resident;
};
constexpr std::uint32_t kRegisters = 65'536;
constexpr std::uint32_t kKib = 1'024;
constexpr Generation kPascal{kEarlyNvidia, kNoMatrixUnits, Duration{1'700}, 64, {2048, 32, kRegisters, 64 * kKib, 0}};
constexpr Generation kGp10x{kEarlyNvidia, kNoMatrixUnits, Duration{1'700}, 128, {2048, 32, kRegisters, 96 * kKib, 0}};
constexpr Generation kVolta{kEarlyNvidia, kHalf, Duration{1'700}, 64, {2048, 32, kRegisters, 96 * kKib, 0}};
constexpr Generation kTuring{kEarlyNvidia, kHalf, Duration{2'000}, 64, {1024, 16, kRegisters, 64 * kKib, 0}};
constexpr Generation kT4{kEarlyNvidia, kHalf, Duration{2'700}, 64, {1024, 16, kRegisters, 64 * kKib, 0}};
constexpr Generation kAmpere{kNvidia, kTf32, Duration{1'600}, 64, {2048, 32, kRegisters, 164 * kKib, kKib}};
constexpr Generation kGa10x{kNvidia, kTf32, Duration{1'300}, 128, {1536, 16, kRegisters, 100 * kKib, kKib}};
constexpr Generation kAda{kNvidia, kTf32, Duration{1'000}, 128, {1536, 24, kRegisters, 100 * kKib, kKib}};
constexpr Generation kHopper{kNvidia, kTf32, Duration{1'600}, 128, {2048, 32, kRegisters, 228 * kKib, kKib}};
constexpr Generation kBlackwell{kNvidia, kTf32, Duration{900}, 128, {2048, 32, kRegisters, 228 * kKib, kKib}};
constexpr Generation kRtxBlackwell{kNvidia, kTf32, Duration{900}, 128, {1536, 24, kRegisters, 100 * kKib, kKib}};
constexpr Generation kGcn{kAmd, kNoMatrixUnits, Duration{2'240}, 64, {}};
constexpr Generation kCdna{kAmd, kHalf, Duration{2'240}, 128, {}};
constexpr Generation kCdna3{kAmd, kTf32, Duration{2'240}, 128, {}};

/// Bytes per multiprocessor and cycle that passes over cached data reach.
constexpr double kCachedBytes = 12;

/// Rates of an x16 PCIe slot by generation, in GB/s per direction.
constexpr double kPcie3 = 15.75;
constexpr double kPcie4 = 31.5;
constexpr double kPcie5 = 63.0;

/// TFLOP/s, indexed by Precision: fp64, fp32, tf32, fp16, fp8.
using Teraflops = std::array<double, kPrecisionCount>;

struct Shares {
  double matrix = kUsualShare;
  double simple = kTwoIssueShare;
  double bandwidth = kUsualBandwidth;
  bool is_measured = false;
  double batched = 1;
  double step = kUsualStep;
  double early_step = kUsualStep;
};

/// One device: a row of kForms.
struct Form {
  std::string_view name;
  std::string_view model;
  std::uint32_t processors;
  Teraflops peak;
  double memory_gb_s;
  double cache_mb;
  double host_gb_s;
  Shares share;
  Generation generation;
  std::string_view source;
  std::string_view also;
  double nvlink_gb_s = 0;
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
  out.nvlink = gb_s(form.nvlink_gb_s);
  out.cache = form.cache_mb * 1e6;
  const double cycles = form.peak[static_cast<std::size_t>(Precision::kFloat32)] * 1e12 / (2 * form.generation.lanes);
  out.cache_rate = Bandwidth::from_bytes_per_second(kCachedBytes * cycles);
  out.floor = form.generation.floor;
  out.matrix_from = form.generation.matrix_from;
  out.resident = form.generation.resident;
  out.source = form.source;
  out.processors = form.processors;
  out.is_measured = form.share.is_measured;
  out.batched_share = form.share.batched;
  out.step_share = form.share.step;
  out.early_step_share = std::min(form.share.step, form.share.early_step);
  out.vendor = form.generation.maker.vendor;
  out.has_bfloat16 = form.generation.maker.has_bfloat16;
  out.convolves_in_tf32 = form.generation.maker.convolves_in_tf32;
  return out;
}

constexpr Shares kOneIssue{kUsualShare, kOneIssueShare};
constexpr Shares kTwoIssue{};
constexpr Shares kV100Share{0.70, 1.0, 0.91, true, 0.78};
constexpr Shares kT4Share{0.37, 0.60, 0.70, true};
constexpr Shares kL4Share{kLowPowerShare, 0.39, 0.77, true};
constexpr Shares kA100Share{0.869, 0.90, 0.88, true};
constexpr Shares kH100Share{0.803, 0.78, 0.92, true, 1, kUsualStep, kEarlyHopperStep};
constexpr Shares kLowPower{kLowPowerShare, 0.60, 0.70};  // the values of the T4
constexpr Shares kLikeV100{0.70, 1.0, 0.91};
constexpr Shares kLikeA100{0.869, 0.90, 0.88};
constexpr Shares kLikeH100{0.803, 0.78, 0.92, false, 1, kUsualStep, kEarlyHopperStep};
constexpr Shares kH100PcieShare{0.75, 0.78, 0.92, false, 1, kUsualStep, kEarlyHopperStep};
constexpr Shares kAdaShare{1.0, kTwoIssueShare, 0.92};

constexpr std::string_view kPascalSource = "NVIDIA Tesla P100 white paper (2016) and Tesla P4, P40 data sheets (2016)";
constexpr std::string_view kV100Source = "NVIDIA V100 datasheet (2020), 'Specifications'";
constexpr std::string_view kTuringSource = "NVIDIA Turing architecture white paper (2018), appendix A, reference card";
constexpr std::string_view kGa102Source = "NVIDIA Ampere GA102 white paper (2021), appendix A";
constexpr std::string_view kA100Source = "NVIDIA A100 datasheet 1758950-r4 (2022), 'Specifications'";
constexpr std::string_view kAda102Source = "NVIDIA Ada architecture white paper (2022), appendix A";
constexpr std::string_view kH100Source =
    "NVIDIA H100 datasheet (2023), 'Product Specifications', halved where it counts sparsity";
constexpr std::string_view kH200Source =
    "NVIDIA H200 datasheet (2024), 'Specifications', halved where it counts sparsity";
constexpr std::string_view kRtxBlackwellSource = "NVIDIA RTX Blackwell architecture white papers (2025), appendix A";
constexpr std::string_view kMi200Source = "AMD Instinct MI250 data sheets (2022), 'Performance', one die";
constexpr std::string_view kMi300Source =
    "AMD Instinct MI300A, MI300X, MI325X data sheets (2023, 2024), 'Specifications'";
constexpr std::string_view kMi100Source = "AMD Instinct MI100 brochure (2020), 'Performance'";
constexpr std::string_view kGtx1080TiSource = "NVIDIA GeForce GTX 1080 Ti specifications (2017)";
constexpr std::string_view kTitanVSource = "NVIDIA TITAN V user guide (2017), specifications";
constexpr std::string_view kT4Source = "NVIDIA T4 datasheet (2019), 'Specifications'";
constexpr std::string_view kA10Source = "NVIDIA A10 datasheet (2021), 'Specifications'";
constexpr std::string_view kA10gSource = "NVIDIA A10G datasheet (2021), 'Specifications', as AWS sells it";
constexpr std::string_view kA30Source = "NVIDIA A30 datasheet (2021), 'Specifications'";
constexpr std::string_view kA40Source =
    "NVIDIA A40 datasheet (2021), 'Specifications', halved where it counts sparsity";
constexpr std::string_view kRtx6000AdaSource =
    "NVIDIA RTX 6000 Ada datasheet (2023), 'Specifications', halved where it counts sparsity";
constexpr std::string_view kL4Source = "NVIDIA L4 datasheet (2023), 'Specifications', halved where it counts sparsity";
constexpr std::string_view kL40Source =
    "NVIDIA L40 datasheet (2022), 'Specifications', halved where it counts sparsity";
constexpr std::string_view kL40sSource = "NVIDIA L40S datasheet (2023), 'Specifications'";
constexpr std::string_view kH20Source = "NVIDIA H20 figures as resellers quote them (2024)";
constexpr std::string_view kGh200Source =
    "NVIDIA GH200 datasheet (2023), 'Specifications', 96 GB, halved where it counts sparsity";
constexpr std::string_view kGh200Hbm3eSource =
    "NVIDIA GH200 datasheet (2023), 'Specifications', 144 GB, halved where it counts sparsity";
constexpr std::string_view kB200Source =
    "NVIDIA Blackwell datasheet (2025), 'Technical Specifications', HGX B200, halved where it counts sparsity";
constexpr std::string_view kGb200Source =
    "NVIDIA GB200 NVL72 datasheet (2024), 'Specifications', a GPU, halved where it counts sparsity";
constexpr std::string_view kMi50Source = "AMD Radeon Instinct MI50 data sheet (2018)";
constexpr std::string_view kMi210Source = "AMD Instinct MI210 brochure (2022), 'Performance'";
constexpr std::string_view kMi355xSource = "AMD Instinct MI355X data sheet (2025), 'Specifications'";
constexpr std::string_view kRx7900Source = "AMD Radeon RX 7900 XTX specifications (2022)";

/// Properties of cards of one design and purpose. Rates are relative to fp32's and indexed by Precision.
struct Design {
  Teraflops relative;
  double host_gb_s;  ///< GB/s per direction of an x16 slot
  Shares share;
  Generation generation;
};
// With fp32 accumulation, which frameworks use, the tensor cores of consumer cards run at half the rate of workstation
// cards with the same chip.
constexpr Design kTuringCard{{1.0 / 32, 1, 1, 4, 4}, kPcie3, kOneIssue, kTuring};
constexpr Design kTuringPro{{1.0 / 32, 1, 1, 8, 8}, kPcie3, kOneIssue, kTuring};
constexpr Design kGa10xCard{{1.0 / 64, 1, 1, 2, 2}, kPcie4, kTwoIssue, kGa10x};
constexpr Design kGa10xPro{{1.0 / 64, 1, 2, 4, 4}, kPcie4, kTwoIssue, kGa10x};
constexpr Design kAdaCard{{1.0 / 64, 1, 1, 2, 4}, kPcie4, kAdaShare, kAda};
constexpr Design kAdaLaptop{{1.0 / 64, 1, 1, 2, 4}, kPcie4, kTwoIssue, kAda};
constexpr Design kAdaPro{{1.0 / 64, 1, 2, 4, 8}, kPcie4, kTwoIssue, kAda};
constexpr Design kBlackwellCard{{1.0 / 64, 1, 1, 2, 4}, kPcie5, kTwoIssue, kRtxBlackwell};
constexpr Design kBlackwellPro{{1.0 / 64, 1, 2, 4, 8}, kPcie5, kTwoIssue, kRtxBlackwell};

constexpr std::string_view kTechPowerUpSource =
    "TechPowerUp GPU database (2025): multiprocessors, boost clock, memory and L2, from which the peaks follow";

/// Makes the row of a card whose peaks follow from its multiprocessors and boost clock in MHz. For a laptop, this is
/// the source's clock for its usual power; laptop makers may choose others.
constexpr Form card(std::string_view name, std::string_view model, std::uint32_t processors, double clock,
                    double memory_gb_s, double cache_mb, const Design& design, std::string_view also,
                    double lanes = 16) {
  Teraflops peak{};
  const double fp32 = processors * design.generation.lanes * 2 * clock / 1e6;
  for (std::size_t i = 0; i < peak.size(); ++i) peak[i] = fp32 * design.relative[i];
  return {name,
          model,
          processors,
          peak,
          memory_gb_s,
          cache_mb,
          design.host_gb_s * lanes / 16,
          design.share,
          design.generation,
          kTechPowerUpSource,
          also};
}

// If a name matches several devices, the first one is used. Each row has: name and model; multiprocessors; TFLOP/s;
// memory's GB/s and cache's MB; host link; shares; generation; source; other words that the name may contain; NVLink's
// GB/s per direction, where all devices of a host usually have it. Some rows use card().
constexpr auto kForms = std::to_array<Form>({
    // clang-format off
    {"P100 SXM2",       "P100",           56,  {5.3, 10.6, 10.6, 21.2, 21.2},         732,    4,    kPcie3, kOneIssue, kPascal, kPascalSource, "SXM2 16GB", 80},
    {"P100 PCIe",       "P100 PCIe",      56,  {4.7, 9.3, 9.3, 18.7, 18.7},           732,    4,    kPcie3, kOneIssue, kPascal, kPascalSource, "16GB 12GB"},
    {"P40",             "P40",            30,  {0.367, 11.76, 11.76, 11.76, 11.76},   346,    3,    kPcie3, kOneIssue, kGp10x, kPascalSource, "24GB"},
    {"P4",              "P4",             20,  {0.172, 5.5, 5.5, 5.5, 5.5},           192,    2,    kPcie3, kLowPower, kGp10x, kPascalSource, "8GB"},
    {"GTX 1080 Ti",     "1080 Ti",        28,  {0.354, 11.3, 11.3, 11.3, 11.3},       484,    2.75, kPcie3, kOneIssue, kGp10x, kGtx1080TiSource, "GTX 11GB"},
    {"V100 SXM2",       "V100",           80,  {7.8, 15.7, 15.7, 125, 125},           900,    6,    kPcie3, kV100Share, kVolta, kV100Source, "SXM2 16GB 32GB FHHL DGXS LS N SXM3", 150},
    {"V100 PCIe",       "V100 PCIe",      80,  {7.0, 14, 14, 112, 112},               900,    6,    kPcie3, kV100Share, kVolta, kV100Source, "16GB 32GB"},
    {"V100S PCIe",      "V100S",          80,  {8.2, 16.4, 16.4, 130, 130},           1134,   6,    kPcie3, kV100Share, kVolta, kV100Source, "PCIe 32GB"},
    {"TITAN V",         "TITAN V",        80,  {7.45, 14.9, 14.9, 119, 119},          653,    4.5,  kPcie3, kLikeV100, kVolta, kTitanVSource, "12GB"},
    {"T4",              "T4",             40,  {0.254, 8.1, 8.1, 65, 65},             320,    4,    kPcie3, kT4Share, kT4, kT4Source, "16GB"},
    {"RTX 2060",        "2060",           30,  {0.2, 6.5, 6.5, 25.8, 25.8},           336,    3,    kPcie3, kOneIssue, kTuring, kTuringSource, "RTX 6GB"},
    card("RTX 2060 12GB",        "2060 12GB",          34,  1650, 336,   3,   kTuringCard, "RTX"),
    card("RTX 2060 SUPER",       "2060 SUPER",         34,  1650, 448,   4,   kTuringCard, "RTX 8GB"),
    card("RTX 2060 Max-Q",       "2060 Max Q",         30,  1185, 264,   3,   kTuringCard, "RTX with Design 6GB"),
    {"RTX 2070",        "2070",           36,  {0.23, 7.5, 7.5, 29.9, 29.9},          448,    4,    kPcie3, kOneIssue, kTuring, kTuringSource, "RTX 8GB"},
    card("RTX 2070 SUPER",       "2070 SUPER",         40,  1770, 448,   4,   kTuringCard, "RTX 8GB"),
    card("RTX 2070 Max-Q",       "2070 Max Q",         36,  1185, 384,   4,   kTuringCard, "RTX with Design 8GB"),
    card("RTX 2070 SUPER Max-Q", "2070 SUPER Max Q",   40,  1155, 352,   4,   kTuringCard, "RTX with Design 8GB"),
    {"RTX 2080",        "2080",           46,  {0.31, 10.1, 10.1, 40.3, 40.3},        448,    4,    kPcie3, kOneIssue, kTuring, kTuringSource, "RTX 8GB"},
    card("RTX 2080 SUPER",       "2080 SUPER",         48,  1815, 495.9, 4,   kTuringCard, "RTX 8GB"),
    card("RTX 2080 Max-Q",       "2080 Max Q",         46,  1095, 384,   4,   kTuringCard, "RTX with Design 8GB"),
    card("RTX 2080 SUPER Max-Q", "2080 SUPER Max Q",   48,  975,  352,   4,   kTuringCard, "RTX with Design 8GB"),
    {"RTX 2080 Ti",     "2080 Ti",        68,  {0.42, 13.4, 13.4, 53.8, 53.8},        616,    5.5,  kPcie3, kOneIssue, kTuring, kTuringSource, "RTX 11GB"},
    {"TITAN RTX",       "TITAN RTX",      72,  {0.51, 16.3, 16.3, 130.5, 130.5},      672,    6,    kPcie3, kOneIssue, kTuring, kTuringSource, "24GB"},
    card("Quadro RTX 4000",      "RTX 4000",           36,  1545, 416,   4,   kTuringPro, "Quadro 8GB"),
    card("Quadro RTX 5000",      "RTX 5000",           48,  1815, 448,   4,   kTuringPro, "Quadro 16GB"),
    {"Quadro RTX 6000", "RTX 6000",       72,  {0.51, 16.3, 16.3, 130.5, 130.5},      672,    6,    kPcie3, kOneIssue, kTuring, kTuringSource, "Quadro 24GB"},
    {"Quadro RTX 8000", "RTX 8000",       72,  {0.51, 16.3, 16.3, 130.5, 130.5},      672,    6,    kPcie3, kOneIssue, kTuring, kTuringSource, "Quadro 48GB"},
    card("RTX 3050",             "3050",               20,  1777, 224,   2,   kGa10xCard, "RTX 8GB", 8),
    card("RTX 3050 6GB",         "3050 6GB",           18,  1470, 168,   2,   kGa10xCard, "RTX", 8),
    card("RTX 3050 Laptop",      "3050 Laptop",        16,  1343, 192,   2,   kGa10xCard, "RTX GPU 4GB", 8),
    card("RTX 3050 Ti Laptop",   "3050 Ti Laptop",     20,  1035, 192,   2,   kGa10xCard, "RTX GPU 4GB"),
    {"RTX 3060",        "3060",           28,  {0.199, 12.7, 12.7, 25.5, 25.5},       360,    3,    kPcie4, kTwoIssue, kGa10x, kGa102Source, "RTX 12GB"},
    card("RTX 3060 Laptop",      "3060 Laptop",        30,  1425, 336,   3,   kGa10xCard, "RTX GPU 6GB"),
    {"RTX 3060 Ti",     "3060 Ti",        38,  {0.253, 16.2, 16.2, 32.4, 32.4},       448,    4,    kPcie4, kTwoIssue, kGa10x, kGa102Source, "RTX 8GB"},
    {"RTX 3070",        "3070",           46,  {0.318, 20.3, 20.3, 40.6, 40.6},       448,    4,    kPcie4, kTwoIssue, kGa10x, kGa102Source, "RTX 8GB"},
    card("RTX 3070 Laptop",      "3070 Laptop",        40,  1560, 448,   4,   kGa10xCard, "RTX GPU 8GB"),
    card("RTX 3070 Ti",          "3070 Ti",            48,  1770, 608.3, 4,   kGa10xCard, "RTX 8GB"),
    card("RTX 3070 Ti Laptop",   "3070 Ti Laptop",     46,  1410, 448,   4,   kGa10xCard, "RTX GPU 8GB"),
    {"RTX 3080",        "3080",           68,  {0.465, 29.8, 29.8, 59.5, 59.5},       760,    5,    kPcie4, kTwoIssue, kGa10x, kGa102Source, "RTX 10GB"},
    card("RTX 3080 12GB",        "3080 12GB",          70,  1710, 912.4, 6,   kGa10xCard, "RTX"),
    card("RTX 3080 Laptop",      "3080 Laptop",        48,  1545, 448,   4,   kGa10xCard, "RTX GPU 8GB 16GB"),
    {"RTX 3080 Ti",     "3080 Ti",        80,  {0.532, 34.1, 34.1, 68.2, 68.2},       912,    6,    kPcie4, kTwoIssue, kGa10x, kGa102Source, "RTX 12GB"},
    card("RTX 3080 Ti Laptop",   "3080 Ti Laptop",     58,  1260, 512,   4,   kGa10xCard, "RTX GPU 16GB"),
    {"RTX 3090",        "3090",           82,  {0.556, 35.6, 35.6, 71, 71},           936,    6,    kPcie4, kTwoIssue, kGa10x, kGa102Source, "RTX 24GB"},
    {"RTX 3090 Ti",     "3090 Ti",        84,  {0.625, 40, 40, 80, 80},               1008,   6,    kPcie4, kTwoIssue, kGa10x, kGa102Source, "RTX 24GB"},
    card("RTX A2000",            "A2000",              26,  1200, 288,   3,   kGa10xPro, "RTX 6GB 12GB"),
    card("RTX A2000 Laptop",     "A2000 Laptop",       20,  1687, 192,   2,   kGa10xPro, "RTX GPU 4GB 8GB"),
    card("RTX A3000 Laptop",     "A3000 Laptop",       32,  1230, 264,   4,   kGa10xPro, "RTX GPU 6GB 12GB"),
    {"RTX A4000",       "A4000",          48,  {0.3, 19.2, 38.3, 76.7, 76.7},         448,    4,    kPcie4, kTwoIssue, kGa10x, kGa102Source, "RTX 16GB"},
    card("RTX A4000 Laptop",     "A4000 Laptop",       40,  1680, 384,   4,   kGa10xPro, "RTX GPU 8GB"),
    card("RTX A4500",            "A4500",              56,  1650, 640,   6,   kGa10xPro, "RTX 20GB"),
    card("RTX A4500 Laptop",     "A4500 Laptop",       46,  1500, 512,   4,   kGa10xPro, "RTX GPU 16GB"),
    {"RTX A5000",       "A5000",          64,  {0.434, 27.8, 55.6, 111.1, 111.1},     768,    6,    kPcie4, kTwoIssue, kGa10x, kGa102Source, "RTX 24GB"},
    card("RTX A5000 Laptop",     "A5000 Laptop",       48,  1575, 448,   4,   kGa10xPro, "RTX GPU 16GB"),
    card("RTX A5500",            "A5500",              80,  1665, 768,   6,   kGa10xPro, "RTX 24GB"),
    card("RTX A5500 Laptop",     "A5500 Laptop",       58,  1500, 512,   4,   kGa10xPro, "RTX GPU 16GB"),
    {"RTX A6000",       "A6000",          84,  {0.605, 38.7, 77.4, 154.8, 154.8},     768,    6,    kPcie4, kTwoIssue, kGa10x, kGa102Source, "RTX 48GB"},
    {"A10",             "A10",            72,  {0.488, 31.2, 62.5, 125, 125},         600,    6,    kPcie4, kTwoIssue, kGa10x, kA10Source, "24GB PCIe"},
    {"A10G",            "A10G",           80,  {0.547, 35, 35, 70, 70},               600,    6,    kPcie4, kTwoIssue, kGa10x, kA10gSource, "24GB PCIe"},
    {"A30",             "A30",            56,  {10.3, 10.3, 82, 165, 165},            933,    24,   kPcie4, kOneIssue, kAmpere, kA30Source, "24GB PCIe"},
    {"A40",             "A40",            84,  {0.585, 37.4, 74.8, 149.7, 149.7},     696,    6,    kPcie4, {0.80, kTwoIssueShare, 0.84, true}, kGa10x, kA40Source, "48GB PCIe"},
    {"A100 SXM 40GB",   "A100",           108, {19.5, 19.5, 156, 312, 312},           1555,   40,   kPcie4, kA100Share, kAmpere, kA100Source, "SXM4 SXM 40GB PG509 200 PG506 230", 300},
    {"A100 SXM 80GB",   "A100 80GB",      108, {19.5, 19.5, 156, 312, 312},           2039,   40,   kPcie4, kA100Share, kAmpere, kA100Source, "SXM4 SXM", 300},
    {"A100 PCIe 40GB",  "A100 PCIe",      108, {19.5, 19.5, 156, 312, 312},           1555,   40,   kPcie4, {0.811, 0.90, 0.86, true}, kAmpere, kA100Source, "40GB"},
    {"A100 PCIe 80GB",  "A100 PCIe 80GB", 108, {19.5, 19.5, 156, 312, 312},           1935,   40,   kPcie4, {0.811, 0.90, 0.82, true}, kAmpere, kA100Source, ""},
    {"A800 SXM",        "A800",           108, {19.5, 19.5, 156, 312, 312},           2039,   40,   kPcie4, kLikeA100, kAmpere, kA100Source, "SXM4 SXM 80GB 40GB", 200},
    card("RTX 4050 Laptop",      "4050 Laptop",        20,  1755, 192,   12,  kAdaLaptop, "RTX GPU 6GB", 8),
    {"RTX 4060",        "4060",           24,  {0.236, 15.1, 15.1, 30.2, 60.4},       272,    24,   kPcie4, kAdaShare, kAda, kAda102Source, "RTX 8GB"},
    card("RTX 4060 Laptop",      "4060 Laptop",        24,  1890, 256,   32,  kAdaLaptop, "RTX GPU 8GB", 8),
    card("RTX 4060 Ti",          "4060 Ti",            34,  2535, 288,   32,  kAdaCard, "RTX 8GB 16GB", 8),
    {"RTX 4070",        "4070",           46,  {0.455, 29.1, 29.1, 58.3, 116.6},      504,    36,   kPcie4, kAdaShare, kAda, kAda102Source, "RTX 12GB"},
    card("RTX 4070 Laptop",      "4070 Laptop",        36,  1695, 256,   32,  kAdaLaptop, "RTX GPU 8GB", 8),
    card("RTX 4070 SUPER",       "4070 SUPER",         56,  2475, 504.2, 48,  kAdaCard, "RTX 12GB"),
    card("RTX 4070 Ti",          "4070 Ti",            60,  2610, 504.2, 48,  kAdaCard, "RTX 12GB"),
    card("RTX 4070 Ti SUPER",    "4070 Ti SUPER",      66,  2610, 672.3, 48,  kAdaCard, "RTX 16GB"),
    {"RTX 4080",        "4080",           76,  {0.761, 48.7, 48.7, 97.5, 194.9},      717,    64,   kPcie4, kAdaShare, kAda, kAda102Source, "RTX 16GB"},
    card("RTX 4080 Laptop",      "4080 Laptop",        58,  1665, 432,   48,  kAdaLaptop, "RTX GPU 12GB"),
    card("RTX 4080 SUPER",       "4080 SUPER",         80,  2550, 736.3, 64,  kAdaCard, "RTX 16GB"),
    {"RTX 4090",        "4090",           128, {1.29, 82.6, 82.6, 165.2, 330.3},      1008,   72,   kPcie4, {1.0, kTwoIssueShare, 0.92, true}, kAda, kAda102Source, "RTX 24GB"},
    card("RTX 4090 Laptop",      "4090 Laptop",        76,  1695, 576,   64,  kAdaLaptop, "RTX GPU 16GB"),
    card("RTX 2000 Ada",         "RTX 2000 Ada",       22,  2130, 256,   12,  kAdaPro, "Generation 16GB", 8),
    card("RTX 2000 Ada Laptop",  "RTX 2000 Ada Laptop",24,  2115, 256,   12,  kAdaPro, "Generation GPU 8GB"),
    card("RTX 3000 Ada Laptop",  "RTX 3000 Ada Laptop",36,  1695, 256,   32,  kAdaPro, "Generation GPU 8GB"),
    card("RTX 4000 Ada",         "RTX 4000 Ada",       48,  2175, 360,   48,  kAdaPro, "Generation 20GB"),
    card("RTX 4000 SFF Ada",     "RTX 4000 SFF Ada",   48,  1560, 280,   48,  kAdaPro, "Generation 20GB"),
    card("RTX 4000 Ada Laptop",  "RTX 4000 Ada Laptop",58,  1665, 432,   48,  kAdaPro, "Generation GPU 12GB"),
    card("RTX 4500 Ada",         "RTX 4500 Ada",       60,  2580, 432,   48,  kAdaPro, "Generation 24GB"),
    card("RTX 5000 Ada",         "RTX 5000 Ada",       100, 2550, 576,   72,  kAdaPro, "Generation 32GB"),
    card("RTX 5000 Ada Laptop",  "RTX 5000 Ada Laptop",76,  2115, 576,   64,  kAdaPro, "Generation GPU 16GB"),
    {"RTX 6000 Ada",    "RTX 6000 Ada",   142, {1.42, 91.1, 182.1, 364.2, 728.5},     960,    96,   kPcie4, kTwoIssue, kAda, kRtx6000AdaSource, "Generation 48GB"},
    {"L4",              "L4",             58,  {0.473, 30.3, 60, 121, 242},           300,    48,   kPcie4, kL4Share, kAda, kL4Source, "24GB PCIe"},
    {"L40",             "L40",            142, {1.41, 90.5, 90.5, 181, 362},          864,    96,   kPcie4, kTwoIssue, kAda, kL40Source, "48GB PCIe"},
    {"L40S",            "L40S",           142, {1.43, 91.6, 183, 362, 733},           864,    96,   kPcie4, {0.60, kTwoIssueShare, 0.85, true}, kAda, kL40sSource, "48GB PCIe"},
    {"H100 SXM",        "H100",           132, {67, 67, 494.7, 989.4, 1978.9},        3350,   50,   kPcie5, kH100Share, kHopper, kH100Source, "SXM5 SXM 80GB HBM3", 450},
    {"H100 PCIe",       "H100 PCIe",      114, {51, 51, 378, 756, 1513},              2000,   50,   kPcie5, kH100PcieShare, kHopper, kH100Source, "80GB HBM2e"},
    {"H100 NVL",        "H100 NVL",       132, {60, 60, 417.5, 835, 1671},            3900,   50,   kPcie5, kLikeH100, kHopper, kH100Source, "94GB HBM3"},
    {"H800 SXM",        "H800",           132, {1, 67, 494.7, 989.4, 1978.9},         3350,   50,   kPcie5, kLikeH100, kHopper, kH100Source, "SXM5 SXM 80GB HBM3", 200},
    {"H20",             "H20",            78,  {1, 44, 74, 148, 296},                 4000,   60,   kPcie5, kLikeH100, kHopper, kH20Source, "SXM5 SXM 96GB HBM3", 450},
    {"GH200",           "GH200",          132, {67, 67, 494.7, 989.4, 1978.9},        4000,   50,   450,    kLikeH100, kHopper, kGh200Source, "96GB 480 120 HBM3"},
    {"GH200 144GB",     "GH200 144",      132, {67, 67, 494.7, 989.4, 1978.9},        4900,   50,   450,    kLikeH100, kHopper, kGh200Hbm3eSource, "144GB G HBM3e"},
    {"H200",            "H200",           132, {67, 67, 494.7, 989.4, 1978.9},        4800,   50,   kPcie5, kLikeH100, kHopper, kH200Source, "SXM5 SXM 141GB HBM3e", 450},
    card("RTX 5050",             "5050",               20,  2572, 320,   24,  kBlackwellCard, "RTX 8GB", 8),
    card("RTX 5050 Laptop",      "5050 Laptop",        20,  1500, 384,   32,  kBlackwellCard, "RTX GPU 8GB"),
    card("RTX 5060",             "5060",               30,  2497, 448,   32,  kBlackwellCard, "RTX 8GB", 8),
    card("RTX 5060 Laptop",      "5060 Laptop",        26,  1455, 384,   32,  kBlackwellCard, "RTX GPU 8GB"),
    card("RTX 5060 Ti",          "5060 Ti",            36,  2572, 448,   32,  kBlackwellCard, "RTX 8GB 16GB", 8),
    {"RTX 5070",        "5070",           48,  {0.482, 30.9, 30.9, 61.7, 123.5},      672,    48,   kPcie5, kTwoIssue, kRtxBlackwell, kRtxBlackwellSource, "RTX 12GB"},
    card("RTX 5070 Laptop",      "5070 Laptop",        36,  1425, 384,   32,  kBlackwellCard, "RTX GPU 8GB"),
    card("RTX 5070 Ti",          "5070 Ti",            70,  2452, 896,   48,  kBlackwellCard, "RTX 16GB"),
    card("RTX 5070 Ti Laptop",   "5070 Ti Laptop",     46,  1447, 672,   48,  kBlackwellCard, "RTX GPU 12GB"),
    {"RTX 5080",        "5080",           84,  {0.88, 56.3, 56.3, 112.6, 225.1},      960,    64,   kPcie5, kTwoIssue, kRtxBlackwell, kRtxBlackwellSource, "RTX 16GB"},
    card("RTX 5080 Laptop",      "5080 Laptop",        60,  1500, 896,   64,  kBlackwellCard, "RTX GPU 16GB"),
    {"RTX 5090",        "5090",           170, {1.64, 104.8, 104.8, 209.5, 419},      1792,   96,   kPcie5, kTwoIssue, kRtxBlackwell, kRtxBlackwellSource, "RTX 32GB"},
    card("RTX 5090 Laptop",      "5090 Laptop",        82,  1515, 896,   64,  kBlackwellCard, "RTX GPU 24GB"),
    card("RTX PRO 2000",         "RTX PRO 2000",       34,  1957, 288,   32,  kBlackwellPro, "Blackwell 16GB", 8),
    card("RTX PRO 4000",         "RTX PRO 4000",       70,  2055, 672,   48,  kBlackwellPro, "Blackwell 24GB"),
    card("RTX PRO 4500",         "RTX PRO 4500",       82,  2407, 896,   64,  kBlackwellPro, "Blackwell 32GB"),
    card("RTX PRO 5000",         "RTX PRO 5000",       110, 2377, 1340,  96,  kBlackwellPro, "Blackwell 48GB 72GB"),
    {"RTX PRO 6000",    "RTX PRO 6000",   188, {1.97, 126, 251.9, 503.8, 1007.6},     1792,   128,  kPcie5, {0.83, kTwoIssueShare, 0.85, true}, kRtxBlackwell, kRtxBlackwellSource, "Blackwell Server Workstation Edition Max Q 96GB"},
    {"B200",            "B200",           148, {37, 75, 1100, 2250, 4500},            7700,   126,  kPcie5, {0.70, 0.78, 0.87, true, 1, kBlackwellStep}, kBlackwell, kB200Source, "SXM6 SXM 180GB 192 HBM3e", 900},
    {"GB200",           "GB200",          152, {40, 80, 1250, 2500, 5000},            8000,   126,  450,    {0.70, 0.78, 0.87, false, 1, kBlackwellStep}, kBlackwell, kGb200Source, "186GB 192 HBM3e", 900},
    {"MI50",            "MI50",           60,  {6.6, 13.3, 13.3, 26.5, 26.5},         1024,   4,    kPcie4, {kAmdShare, kAmdSimpleShare, kAmdBandwidth}, kGcn, kMi50Source, "32GB 16GB"},
    {"MI100",           "MI100",          120, {11.5, 46.1, 46.1, 184.6, 184.6},      1228.8, 8,    kPcie4, {kAmdShare, kAmdSimpleShare, kAmdBandwidth}, kCdna, kMi100Source, "32GB"},
    {"MI210",           "MI210",          104, {45.3, 45.3, 45.3, 181, 181},          1638.4, 8,    kPcie4, {kAmdShare, 0.70, 0.78, true}, kCdna, kMi210Source, "64GB"},
    {"MI250",           "MI250",          104, {45.3, 45.3, 45.3, 181, 181},          1638.4, 8,    kPcie4, {kAmdShare, kAmdSimpleShare, kAmdBandwidth}, kCdna, kMi200Source, "64GB 128"},
    {"MI250X",          "MI250X",         110, {47.9, 47.9, 47.9, 191.5, 191.5},      1638.4, 8,    kPcie4, {kAmdShare, kAmdSimpleShare, kAmdBandwidth}, kCdna, kMi200Source, "64GB 128 MI250"},
    {"MI300X",          "MI300X",         304, {163.4, 163.4, 653.7, 1307.4, 2614.9}, 5325,   32,   kPcie5, {0.511, kAmdSimpleShare, kAmdBandwidth}, kCdna3, kMi300Source, "192GB HBM3"},
    {"MI300A",          "MI300A",         228, {122.6, 122.6, 490.3, 980.6, 1961.2},  5300,   24,   kPcie5, {0.511, kAmdSimpleShare, kAmdBandwidth}, kCdna3, kMi300Source, "128GB HBM3"},
    {"MI325X",          "MI325X",         304, {163.4, 163.4, 653.7, 1307.4, 2614.9}, 6000,   32,   kPcie5, {0.6, kAmdSimpleShare, kAmdBandwidth}, kCdna3, kMi300Source, "256GB HBM3e"},
    {"MI355X",          "MI355X",         256, {78.6, 157.3, 157.3, 2516, 5033},      8000,   32,   kPcie5, {0.622, kAmdSimpleShare, kAmdBandwidth}, kCdna, kMi355xSource, "288GB HBM3e"},
    {"RX 7900 XTX",     "7900 XTX",       96,  {1.92, 61.4, 61.4, 122.8, 122.8},      960,    6,    kPcie4, {kAmdShare, kAmdSimpleShare, kAmdBandwidth}, kCdna, kRx7900Source, "RX 24GB"},
    // clang-format on
});

constexpr auto kDevices = [] {
  std::array<Accelerator, kForms.size()> devices;
  std::transform(kForms.begin(), kForms.end(), devices.begin(), device);
  return devices;
}();

}  // namespace

std::span<const Accelerator> accelerators() noexcept { return kDevices; }

}  // namespace stepsim
