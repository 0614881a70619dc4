#ifndef STEPSIM_MODEL_COST_DEVICE_ACCELERATOR_H
#define STEPSIM_MODEL_COST_DEVICE_ACCELERATOR_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "model/base/units.h"
#include "model/job/kernel_class.h"
#include "model/job/task_tables.h"

namespace stepsim {

enum class Vendor : std::uint8_t { kNvidia, kAmd };

/// What one multiprocessor holds at a time at most. All 0: not known.
struct Residency {
  std::uint32_t threads = 0;
  std::uint32_t blocks = 0;
  std::uint32_t registers = 0;
  std::uint32_t shared_memory = 0;           ///< bytes
  std::uint32_t reserved_shared_memory = 0;  ///< bytes that each block takes besides its own
};

/// One accelerator as its vendor describes it: what a device model may know of it. Of a card
/// with two dies that software sees as two devices (MI250) one die.
struct Accelerator {
  std::string_view name;   ///< as shown: "H100 SXM"
  std::string_view model;  ///< what a name must hold to mean it: "H100"
  std::string_view also;   ///< what it may hold besides: "SXM5 80GB HBM3"
  /// Peak of a dense matrix product in floating-point operations per second, by Precision,
  /// on whatever unit is fastest at it. Where a device lacks a precision: of the next wider one.
  std::array<double, kPrecisionCount> peak_flops{};
  /// Share of the half-precision peak that large matrix products reach: power and clocks keep a
  /// device below its peak, some more than others. Of tf32 and fp8 too.
  double matrix_share = 0;
  /// Of what a product reaches on the matrix units, what a batched one does.
  double batched_share = 1;
  /// Share of the peak that large products reach in fp64, fp32 and whatever else runs without matrix units of its own.
  double simple_share = 0;
  Bandwidth memory;         ///< datasheet, one number for reading and writing
  double memory_share = 0;  ///< of `memory`, what a large pass over memory reaches
  double cache = 0;         ///< bytes of the last cache before memory
  Bandwidth cache_rate;     ///< what a pass over data in that cache reaches
  Bandwidth host_link;      ///< PCIe, one way
  Duration floor{};         ///< what a kernel takes that has next to nothing to do
  std::string_view source;
  bool has_bfloat16 = true;      ///< bf16 beside fp16, at its rate
  std::uint32_t processors = 0;  ///< multiprocessors, compute units: each works on one tile of a product at a time
  Residency resident;
  std::size_t matrix_from = kPrecisionCount;  ///< the widest Precision with matrix units; kPrecisionCount: none has
  /// Whether the shares above were fitted to measurements of this device; else they are those of its kind, and answers
  /// about it have a wider range.
  bool is_measured = false;
  /// Whether frameworks convolve fp32 in tf32 unless told otherwise: PyTorch does, since 1.7, where CUDA has it.
  bool convolves_in_tf32 = false;
  Vendor vendor = Vendor::kNvidia;  ///< whose libraries do the work

  /// Whether it has units of its own for a precision, faster than those for the next wider one.
  [[nodiscard]] bool computes_in(Precision precision) const noexcept;
  /// Whether products of a precision have units of their own: tensor cores, matrix cores. Those of consumer cards do
  /// tf32 at the rate of fp32; fp16 at twice that rate on P100 and MI50 needs none.
  [[nodiscard]] bool has_matrix_units(Precision precision) const noexcept;
  /// Reachable rate of a large matrix product: the peak times matrix_share, or times simple_share
  /// without matrix units for it. In operations per second.
  [[nodiscard]] double flops(Precision precision) const noexcept;
  /// Reachable bandwidth of a large pass over memory, in bytes per second.
  [[nodiscard]] double bytes_per_second() const noexcept { return memory.bytes_per_second() * memory_share; }
  /// The share of `bytes` that the cache still holds if they were in use right before: all up to its size, nothing from
  /// four thirds of that on, linear between.
  [[nodiscard]] double cached_share(double bytes) const noexcept;
  /// Seconds of a pass over `bytes`, of which the share `cached` comes from the cache.
  [[nodiscard]] double pass_seconds(double bytes, double cached) const noexcept;
};

/// The device a trace ("NVIDIA H100 80GB HBM3", "AMD Instinct MI300X VF") or a person ("a100",
/// "H100 PCIe") calls by this name; null if there is none. All words of a device's model must
/// occur in the name, and nothing else but what the device may also be called; of several the
/// one of the data centre's commonest form. Case, separators and vendors' names do not matter.
[[nodiscard]] const Accelerator* find_accelerator(std::string_view name);

/// find_accelerator() or UsageError: "no device 'H1000' is known; did you mean 'H100'? known are ...".
[[nodiscard]] const Accelerator& accelerator_named(std::string_view name);

/// How many blocks of `launch` one multiprocessor holds at a time: as many as its threads, blocks, registers and shared
/// memory allow (NVIDIA's occupancy calculator; what Kineto calls "est. achieved occupancy %" follows from it). At
/// least 1, because the kernel ran. Precondition: launch.threads > 0 and room.threads > 0.
[[nodiscard]] std::uint32_t resident_blocks(const KernelLaunch& launch, const Residency& room) noexcept;

/// The share of `device` that `launch` fills, up to 1: its blocks over those that the device holds at a time, a wave of
/// them (Yu et al., Habitat, ATC 2021). 1 where the device's limits are not known.
[[nodiscard]] double filled_share(const KernelLaunch& launch, const Accelerator& device) noexcept;

/// The accelerators that stepsim knows: vendors and generations together, oldest first.
[[nodiscard]] std::span<const Accelerator> accelerators() noexcept;

}  // namespace stepsim

#endif
