#ifndef STEPSIM_MODEL_REWRITE_PARALLEL_KEPT_TENSORS_H
#define STEPSIM_MODEL_REWRITE_PARALLEL_KEPT_TENSORS_H

#include <cstdint>

#include "model/job/operator_work.h"

namespace stepsim {

/// What autograd keeps of a call until its backward pass (PyTorch's tools/autograd/derivatives.yaml).
enum class Keeps : std::uint8_t {
  kUnknown,  ///< of an operator that stepsim does not know
  kNothing,
  kInput,   ///< its first input
  kInputs,  ///< all inputs that hold samples
  kOutput,  ///< its result, which is as large as its first input
  kMask,    ///< a byte for each element of its first input
};

/// True if the operator multiplies matrices, or is a convolution, and is not attention as a whole.
[[nodiscard]] bool is_product(const OperatorTable::Operator& op) noexcept;

/// Returns what is kept of a call of this operator.
[[nodiscard]] Keeps kept_by(const OperatorTable::Operator& op) noexcept;

}  // namespace stepsim

#endif
