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

/// The type of a tensor's elements according to the trace.
enum class ElementKind : std::uint8_t { kUnknown, kFloat, kOther };

/// An input tensor of an operator.
struct TensorShape {
  std::vector<std::int64_t> sizes;  ///< size of each dimension; empty for a scalar
  std::int64_t element_bytes = 4;
  Precision precision = Precision::kFloat32;
  ElementKind element = ElementKind::kUnknown;  ///< type of the elements; `precision` applies to floats only

  [[nodiscard]] double bytes() const noexcept;
  bool operator==(const TensorShape&) const = default;
};

/// A call of a framework's operator as recorded in a trace.
struct OperatorCall {
  std::string_view name;               ///< "aten::addmm"
  std::vector<TensorShape> inputs;     ///< inputs by position; the tensors of a list follow each other in its place
  std::vector<std::int64_t> stride;    ///< stride of a convolution; empty if not recorded
  std::vector<std::int64_t> padding;   ///< padding of a convolution
  std::vector<std::int64_t> dilation;  ///< dilation of a convolution
};

/// `count` matrix products of one shape: rows x inner times inner x columns. A convolution is also a product: rows are
/// the pixels of its output, columns the channels of its output.
struct ProductShape {
  double count = 0;  ///< 0 if the work is not a product or its shape is not known
  double rows = 0;
  double columns = 0;
  double inner = 0;

  [[nodiscard]] bool operator==(const ProductShape& other) const = default;
};

/// The device work of an operator.
struct Work {
  KernelClass kind = KernelClass::kUnknown;  ///< kGemm, kConvolution, kAttention, kGather; else kElementwise (streams)
  double flops = 0;                          ///< operations of matrix products; 0 if it has none
  double bytes = 0;                          ///< each input read once and each result written once, without caches
  Precision precision = Precision::kFloat32;
  ProductShape shape{};  ///< the products in `flops`; a gradient's two products count as one of mean shape

  [[nodiscard]] bool operator==(const Work& other) const = default;
};

/// Returns the work of a call. Matrix products, convolutions and attention are counted by definition (a multiplication
/// and an addition are two operations), lookups by the rows they read. Everything else is one pass over the inputs and
/// a result of the shape they broadcast to (or of the largest input, if they do not). bytes is 0 if the shapes do not
/// fit the operator, because then nothing is known.
[[nodiscard]] Work work_of(const OperatorCall& call);

/// The part of a training step that a call belongs to.
enum class Pass : std::uint8_t { kForward, kBackward, kUpdate };

/// The dimension of an operator's work that tensor-parallel ranks divide among themselves.
enum class Divided : std::uint8_t {
  kNot,       ///< each rank does all of the work
  kRows,      ///< a product's rows
  kColumns,   ///< a product's columns
  kInner,     ///< a product's inner dimension: each rank has a part of the sum
  kCount,     ///< the number of products, such as the heads of an attention
  kElements,  ///< the elements of work that is no product
};

/// Maps device work to the framework operator that caused it. Stored separately from the Dag, only if the trace records
/// operators' shapes; otherwise empty and without cost.
struct OperatorTable {
  struct Operator {
    std::string name;    ///< "aten::addmm"
    std::string shapes;  ///< as recorded: "[[512], [141, 512], [512, 512], [], []]"
    Work work;
    std::vector<TensorShape> inputs{};  ///< inputs, as in OperatorCall
  };
  struct Use {
    TaskId task;
    std::uint32_t which = 0;  ///< index into operators
    /// Number of the call, in order of launch; all device work of one call has the same number.
    std::uint32_t occurrence = 0;
    bool in_optimizer = false;  ///< true if the call is part of an optimizer's step, not of the model
    bool in_backward = false;   ///< true if the call is part of the backward pass
    /// How ranks of a tensor-parallel job divide the call, in its graph. Recorded times stay those of the whole work;
    /// DividedStep::part_of_rank() gives a rank's part.
    Divided divided = Divided::kNot;
  };
  std::vector<Operator> operators;  ///< each operator with its shapes once
  std::vector<Use> uses;            ///< ordered by task
  std::uint32_t occurrences = 0;    ///< number of calls; occurrences count from 0
};

}  // namespace stepsim

#endif
