#include "model/cost/device/accelerator.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "model/base/error.h"
#include "model/base/number.h"
#include "model/base/text.h"

namespace stepsim {
namespace {

/// Number of known devices that an error suggests for an unknown one.
constexpr std::size_t kMostSuggested = 3;

enum class Kind : char { kNothing, kLetter, kDigit };

Kind kind_of(char c) noexcept {
  if (c >= '0' && c <= '9') return Kind::kDigit;
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ? Kind::kLetter : Kind::kNothing;
}

/// Splits a name into runs of letters (in lower case) and runs of digits: "H100-80GB" becomes h 100 80 gb.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  Kind before = Kind::kNothing;
  for (const char c : text) {
    const Kind kind = kind_of(c);
    if (kind != Kind::kNothing) {
      if (kind != before) words.emplace_back();
      words.back() += lower_case(c);
    }
    before = kind;
  }
  return words;
}

/// True for words that do not identify a device.
bool is_idle(std::string_view word) {
  static constexpr auto kIdle = std::to_array<std::string_view>(
      {"nvidia", "amd", "tesla", "quadro", "geforce", "instinct", "radeon", "accelerator", "gpu", "graphics", "vf"});
  return std::find(kIdle.begin(), kIdle.end(), word) != kIdle.end();
}

bool holds(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_called(const Accelerator& device, const std::vector<std::string>& words) {
  const std::vector<std::string> model = words_of(device.model);
  const std::vector<std::string> also = words_of(device.also);
  return std::all_of(model.begin(), model.end(), [&](const std::string& word) { return holds(words, word); }) &&
         std::all_of(words.begin(), words.end(),
                     [&](const std::string& word) { return is_idle(word) || holds(model, word) || holds(also, word); });
}

/// Returns the sizes such as "80GB" in a text, in GiB, which the GB in names of devices are.
std::vector<std::uint16_t> sizes_in(std::string_view text) {
  std::vector<std::uint16_t> sizes;
  const std::vector<std::string> words = words_of(text);
  for (std::size_t i = 1; i < words.size(); ++i) {
    const auto size = parse_number<std::uint16_t>(words[i - 1]);
    if (words[i] == "gb" && size) sizes.push_back(*size);
  }
  return sizes;
}

/// Returns the sizes of the memories with which a device is sold.
std::vector<std::uint16_t> sizes_of(const Accelerator& device) {
  const std::vector<std::uint16_t> of_model = sizes_in(device.model);
  return of_model.empty() ? sizes_in(device.also) : of_model;
}

// Properties of NVIDIA's multiprocessors since Pascal.
constexpr std::uint32_t kWarp = 32;
constexpr std::uint32_t kRegisterUnit = 256;  // registers are allocated to a warp in multiples of this
constexpr std::uint32_t kPartitions = 4;      // each has a share of the registers and runs separate warps

std::uint32_t rounded_up(std::uint32_t value, std::uint32_t unit) noexcept { return (value + unit - 1) / unit * unit; }

std::uint32_t warps_by_registers(std::uint32_t registers, const Residency& room) noexcept {
  const std::uint32_t of_warp = rounded_up(registers * kWarp, kRegisterUnit);
  return of_warp == 0 ? std::numeric_limits<std::uint32_t>::max()
                      : room.registers / kPartitions / of_warp * kPartitions;
}

/// Share of the peak that large products in fp8 reach, relative to that of 16 bits. Measured: 0.88 on H100 (70.9 % of
/// 80.3 %) and 0.93 on GH200 (77.6 % of 83.6 %), table "Maximum Achievable Matmul FLOPS" (library.cpp, [B]); 0.94, 0.96
/// and 1.04 for three products with scales of rows on an H100 of 500 W, whose power limits 16 bits more
/// (pytorch/FBGEMM, pull request 2546).
constexpr double kFloat8Share = 0.9;

}  // namespace

bool Accelerator::has_matrix_units(Precision precision) const noexcept {
  return static_cast<std::size_t>(precision) >= matrix_from;
}

double Accelerator::flops(Precision precision) const noexcept {
  const double share = has_matrix_units(precision) ? matrix_share : simple_share;
  const bool is_float8 = precision == Precision::kFloat8 && computes_in(precision);
  return peak_flops[static_cast<std::size_t>(precision)] * share * (is_float8 ? kFloat8Share : 1);
}

bool Accelerator::exchanges_through_host() const noexcept {
  constexpr std::string_view kSeries = "RTX ";
  constexpr std::size_t kTens = kSeries.size() + 2;  // "RTX 2080"; workstation cards have round numbers: "RTX 6000 Ada"
  const bool is_geforce = name.starts_with(kSeries) && name.size() > kTens && name[kTens] >= '1' && name[kTens] <= '9';
  return name == "T4" || is_geforce;
}

Bandwidth Accelerator::inside_link() const noexcept {
  if (nvlink > Bandwidth{}) return nvlink;
  constexpr double kThroughHost = 0.38;  // four RTX 2080 Ti exchange 4.58 of 12 GB/s
  if (!exchanges_through_host()) return host_link;
  return Bandwidth::from_bytes_per_second(host_link.bytes_per_second() * kThroughHost);
}

std::string_view Accelerator::inside_kind() const noexcept {
  if (nvlink > Bandwidth{}) return "NVLink";
  return exchanges_through_host() ? "PCIe through the host's memory" : "PCIe";
}

double Accelerator::cached_share(double bytes) const noexcept {
  return cache > 0 ? std::clamp(4 - 3 * bytes / cache, 0.0, 1.0) : 0;
}

double Accelerator::pass_seconds(double bytes, double cached) const noexcept {
  const double from_memory = bytes / bytes_per_second();
  if (cached <= 0) return from_memory;
  return cached * std::min(from_memory, bytes / cache_rate.bytes_per_second()) + (1 - cached) * from_memory;
}

bool Accelerator::computes_in(Precision precision) const noexcept {
  const auto rate = [this](Precision p) { return peak_flops[static_cast<std::size_t>(p)]; };
  switch (precision) {
    case Precision::kTensor32: return has_matrix_units(precision);
    case Precision::kFloat16: return rate(precision) > rate(Precision::kTensor32);
    case Precision::kFloat8: return rate(precision) > rate(Precision::kFloat16);
    default: return true;
  }
}

const Accelerator* find_accelerator(std::string_view name) {
  const std::vector<std::string> words = words_of(name);
  const std::span<const Accelerator> all = accelerators();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Accelerator& device) { return is_called(device, words); });
  return found == all.end() ? nullptr : &*found;
}

std::optional<Bytes> capacity_of(std::string_view name) {
  const Accelerator* const device = find_accelerator(name);
  if (device == nullptr) return std::nullopt;
  std::vector<std::uint16_t> sizes = sizes_of(*device);
  if (sizes.size() > 1) {
    const std::vector<std::uint16_t> named = sizes_in(name);
    std::erase_if(sizes,
                  [&](std::uint16_t size) { return std::find(named.begin(), named.end(), size) == named.end(); });
  }
  return sizes.size() == 1 ? std::optional{Bytes{std::int64_t{sizes.front()} << 30U}} : std::nullopt;
}

std::vector<std::string> names_with_size(std::string_view name) {
  const Accelerator* const device = find_accelerator(name);
  std::vector<std::string> names;
  if (device == nullptr || capacity_of(device->name)) return names;
  for (const std::uint16_t size : sizes_of(*device)) names.push_back(fmt::format("{} {}GB", device->name, size));
  return names;
}

const Accelerator& accelerator_named(std::string_view name) {
  if (const Accelerator* const found = find_accelerator(name)) return *found;
  std::vector<std::string> known;
  for (const Accelerator& device : accelerators()) known.emplace_back(device.name);
  for (const Accelerator& device : accelerators()) known.emplace_back(device.model);
  std::vector<std::string> near = nearest_names(name, known, kMostSuggested);
  for (std::string& one : near) one = fmt::format("'{}'", one);
  throw UsageError(fmt::format("no device '{}' is known; {}expected a name that 'stepsim help devices' lists",
                               shown(name), near.empty() ? "" : fmt::format("did you mean {}? ", one_of(near))));
}

std::uint32_t resident_blocks(const KernelLaunch& launch, const Residency& room) noexcept {
  const std::uint32_t warps = rounded_up(launch.threads, kWarp) / kWarp;
  std::uint32_t blocks = std::min(room.blocks, room.threads / kWarp / warps);
  blocks = std::min(blocks, warps_by_registers(launch.registers, room) / warps);
  const std::uint64_t shared = std::uint64_t{launch.shared_memory} + room.reserved_shared_memory;
  if (shared > 0) blocks = static_cast<std::uint32_t>(std::min<std::uint64_t>(blocks, room.shared_memory / shared));
  return std::max(1U, blocks);
}

double filled_share(const KernelLaunch& launch, const Accelerator& device) noexcept {
  if (device.resident.threads == 0 || launch.threads == 0) return 1;
  const double wave = static_cast<double>(resident_blocks(launch, device.resident)) * device.processors;
  return std::min(1.0, static_cast<double>(launch.blocks) / wave);
}

}  // namespace stepsim
