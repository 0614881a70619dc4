#ifndef STEPSIM_MODEL_JOB_OPERATOR_WORK_H
#define STEPSIM_MODEL_JOB_OPERATOR_WORK_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/id.h"
#include "model/base/units.h"
#include "model/job/kernel_class.h"

namespace stepsim {

/// What a trace says that a tensor's elements are.
enum class ElementKind : std::uint8_t { kUnknown, kFloat, kOther };

/// A tensor among the inputs of an operator.
struct TensorShape {
  std::vector<std::int64_t> sizes;  ///< empty: a scalar
  std::int64_t element_bytes = 4;
  Precision precision = Precision::kFloat32;
  ElementKind element = ElementKind::kUnknown;  ///< `precision` applies to floats only

  [[nodiscard]] double bytes() const noexcept;
};

/// A call of a framework's operator as a trace records it.
struct OperatorCall {
  std::string_view name;               ///< "aten::addmm"
  std::vector<TensorShape> inputs;     ///< by position; a list's tensors in its place, one after the other
  std::vector<std::int64_t> stride;    ///< convolutions; empty: not recorded
  std::vector<std::int64_t> padding;   ///< convolutions
  std::vector<std::int64_t> dilation;  ///< convolutions
};

/// Matrix products of one shape: rows x inner times inner x columns, `count` of them. A convolution
/// is one too: its output's pixels are the rows, its output's channels the columns.
struct ProductShape {
  double count = 0;  ///< 0: the work is no product, or its shape is not known
  double rows = 0;
  double columns = 0;
  double inner = 0;

  [[nodiscard]] bool operator==(const ProductShape& other) const = default;
};

/// What an operator has its device do.
struct Work {
  KernelClass kind =
      KernelClass::kUnknown;  ///< kGemm, kConvolution, kAttention, kGather, else kElementwise: it streams
  double flops = 0;           ///< of matrix products; 0 if it has none
  double bytes = 0;           ///< read and written once each, caches aside
  Precision precision = Precision::kFloat32;
  ProductShape shape{};  ///< how `flops` divides into products; a gradient's two count as one of their mean shape

  [[nodiscard]] bool operator==(const Work& other) const = default;
};

/// The work of a call. Matrix products, convolutions and attention by their definition
/// (a multiplication and an addition are two operations), lookups by the rows they fetch, all
/// else as one pass over its inputs and a result of the shape they broadcast to (the largest's
/// where they do not).
/// bytes is 0 if the shapes do not fit the operator: nothing is known then.
[[nodiscard]] Work work_of(const OperatorCall& call);

/// Which operator had a piece of device work done, beside the Dag: only where the trace
/// records operators' shapes. Empty otherwise, at no cost.
struct OperatorTable {
  struct Operator {
    std::string name;    ///< "aten::addmm"
    std::string shapes;  ///< as recorded: "[[512], [141, 512], [512, 512], [], []]"
    Work work;
    std::vector<TensorShape> inputs{};  ///< as OperatorCall has them
  };
  struct Use {
    TaskId task;
    std::uint32_t which = 0;       ///< index into operators
    std::uint32_t occurrence = 0;  ///< one number a call: its pieces of device work share it; in order of launch
    bool in_optimizer = false;     ///< the call is part of an optimizer's step, not of the model
  };
  std::vector<Operator> operators;  ///< distinct
  std::vector<Use> uses;            ///< by task
  std::uint32_t occurrences = 0;    ///< they count from 0 to this
};

}  // namespace stepsim

#endif
