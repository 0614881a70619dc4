#ifndef STEPSIM_MODEL_CALIBRATION_MEASURED_MACHINE_H
#define STEPSIM_MODEL_CALIBRATION_MEASURED_MACHINE_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "model/base/units.h"

namespace stepsim {

/// What measured steps of a machine correct in modelled ones.
enum class MachinePart : std::uint8_t {
  kKernels,    ///< all kernels but those that communicate
  kProducts,   ///< matrix products and convolutions, besides kKernels
  kAttention,  ///< attention as one kernel, besides kKernels
  kCalls,      ///< the CPU's work
  kInside,     ///< transfers between devices of a host
  kBetween,    ///< transfers between hosts
};
inline constexpr std::size_t kMachineParts = 6;
inline constexpr std::array<MachinePart, kMachineParts> kAllMachineParts{
    MachinePart::kKernels, MachinePart::kProducts, MachinePart::kAttention,
    MachinePart::kCalls,   MachinePart::kInside,   MachinePart::kBetween};

/// Returns the name in machine.yaml: "kernels".
[[nodiscard]] std::string_view to_text(MachinePart part) noexcept;
/// Returns what it is, for people: "kernels", "products, besides that", "links inside hosts".
[[nodiscard]] std::string_view description_of(MachinePart part) noexcept;

/// A machine, by how much longer the parts of a step take on it than data sheets and models say (machine.yaml).
struct MeasuredMachine {
  std::string device;  ///< name of its accelerator, as stepsim knows it
  /// By MachinePart: the time on the machine over the modelled time.
  std::array<double, kMachineParts> factors{1, 1, 1, 1, 1, 1};
  /// What a device has in use besides what its allocator holds: context, kernels, buffers of NCCL.
  Bytes outside_allocator{};
  std::size_t runs = 0;   ///< number of measured steps
  double before = 0;      ///< mean relative error of their prediction by data sheets
  double after = 0;       ///< the same with the factors
  double left_out = 0;    ///< the same with the factors of the other steps; 0 with fewer than two
  std::string fitted_on;  ///< date, as 2026-11-29

  [[nodiscard]] double factor(MachinePart part) const noexcept { return factors[static_cast<std::size_t>(part)]; }

  friend bool operator==(const MeasuredMachine&, const MeasuredMachine&) = default;
};

}  // namespace stepsim

#endif
