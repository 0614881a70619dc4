#ifndef STEPSIM_MODEL_JOB_PRECISION_H
#define STEPSIM_MODEL_JOB_PRECISION_H

#include <cstddef>
#include <cstdint>

namespace stepsim {

/// In which arithmetic a matrix product is done: what decides a device's peak.
enum class Precision : std::uint8_t {
  kFloat64,
  kFloat32,
  kTensor32,  ///< TF32, XF32: fp32 operands rounded for the matrix units
  kFloat16,   ///< fp16 and bf16, which run at one rate
  kFloat8,
};
inline constexpr std::size_t kPrecisionCount = 5;

}  // namespace stepsim

#endif
