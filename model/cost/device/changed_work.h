#ifndef STEPSIM_MODEL_COST_DEVICE_CHANGED_WORK_H
#define STEPSIM_MODEL_COST_DEVICE_CHANGED_WORK_H

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "model/cost/device/device_work.h"
#include "model/job/operator_work.h"

namespace stepsim {

/// `piece`, done in `to`: what moves floats moves those of the new size, and matrix products have
/// the new arithmetic. Only products are ever done in fp8; what else was wider is then in 16 bits.
/// Unchanged: the optimizer, collectives, memsets, copies between host and device, kernels whose
/// name says nothing, operators that were given no floats, and what does not tell its precision.
/// `table` is what `piece.which` refers to.
[[nodiscard]] DeviceWork in_precision(const DeviceWork& piece, const OperatorTable& table, Precision to);

/// Whether in_precision() changes anything of a piece, its precision being known and another.
[[nodiscard]] bool has_precision(const DeviceWork& piece) noexcept;

/// What device work grows by where a step takes more samples.
///
/// No one dimension is looked for, because products flatten it into others. A tensor carries
/// samples if it has two dimensions or more and is no parameter; a parameter is a tensor of the
/// sizes (in any order: transposed) of one that stands where operators have parameters: the weight
/// of a linear, convolution, embedding or norm, or what AccumulateGrad was given. An operator's
/// bytes grow as the share of its inputs that carries samples, its operations all where any
/// does: a product of a sample with a weight, or of two samples into a weight's gradient. Products of the first kind
/// get more rows or columns, those of the second are longer inside, and batched ones become more.
class SampleGrowth {
 public:
  /// Precondition: factor > 0. O(sizes in the table * log of them).
  SampleGrowth(const OperatorTable& table, double factor);

  /// `piece` on as many samples. Unchanged: the optimizer, collectives, and operators on parameters
  /// alone. Pieces of no known operator grow in proportion.
  [[nodiscard]] DeviceWork grown(const DeviceWork& piece) const;
  [[nodiscard]] std::size_t parameters() const noexcept { return parameters_.size(); }

 private:
  using Sizes = std::vector<std::int64_t>;

  using Dimension = double ProductShape::*;

  [[nodiscard]] bool carries_samples(const TensorShape& tensor) const;
  [[nodiscard]] double share_of(const OperatorTable::Operator& op) const;
  [[nodiscard]] Dimension dimension_of(const OperatorTable::Operator& op) const;

  double factor_;
  std::set<Sizes> parameters_;        ///< sizes in ascending order
  std::vector<double> share_;         ///< of an operator's bytes, what carries samples; by operator
  std::vector<Dimension> dimension_;  ///< of an operator's products, which one samples are counted in; by operator
};

}  // namespace stepsim

#endif
