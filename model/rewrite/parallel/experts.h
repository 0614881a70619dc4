#ifndef STEPSIM_MODEL_REWRITE_PARALLEL_EXPERTS_H
#define STEPSIM_MODEL_REWRITE_PARALLEL_EXPERTS_H

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "model/base/units.h"
#include "model/cost/device/device_work.h"
#include "model/job/operator_work.h"
#include "model/job/recording.h"
#include "model/rewrite/parallel/parallelism.h"

namespace stepsim {

/// The layers of a model's experts: feed-forward networks, of which a router chooses some for each token. They are
/// recognised if each layer of all experts is one batched product, with a weight of three dimensions whose gradient is
/// accumulated: experts, inputs, outputs. Thread-safe.
class Experts {
 public:
  /// O(operators * log operators).
  explicit Experts(const OperatorTable& table);

  [[nodiscard]] std::uint32_t count() const noexcept { return count_; }  ///< experts of a layer; 0 if there are none
  /// True for a product of all experts: a layer, or one of its gradients.
  [[nodiscard]] bool is_product(std::uint32_t which) const { return kinds_[which].tokens != nullptr; }
  /// True for a tensor with the sizes of all experts' weights of a layer.
  [[nodiscard]] bool is_weight(const TensorShape& tensor) const;
  /// True for a gradient of this size.
  [[nodiscard]] bool is_gradient(Bytes bytes) const { return gradients_.contains(bytes); }
  /// Returns the share of `gradients` that are the experts'.
  [[nodiscard]] double share_of(const std::vector<Gradient>& gradients) const;

  /// Returns the part of a piece of device work that is left where each of `ranks` ranks has so many times fewer
  /// experts, which get so many times more tokens each. If `of_optimizer` is not 1, the optimizer does this part of its
  /// work.
  [[nodiscard]] DeviceWork part_of_rank(const DeviceWork& piece, std::uint32_t ranks, double of_optimizer) const;

 private:
  struct Kind {
    double ProductShape::*tokens = nullptr;  ///< of a product: the dimension that is the number of tokens
    bool on_parameter = false;               ///< works on a parameter of experts, or on its gradient
  };
  std::uint32_t count_ = 0;
  std::vector<Kind> kinds_;                      ///< by operator
  std::set<std::vector<std::int64_t>> weights_;  ///< experts, inputs, outputs
  std::set<Bytes> gradients_;
};

/// Divides experts among `parallelism.expert` of the replicas (Lepikhin et al. 2020, "GShard"): adds all-to-alls that
/// bring tokens to their experts and back, in the forward and in the backward pass. Each waits for what was launched
/// before it, and the next call waits for it. Work keeps its duration (Experts::part_of_rank()). Precondition: the
/// capture is of one rank, and experts were found. O(calls + tasks).
[[nodiscard]] Capture with_expert_parallel(const Capture& capture, const Parallelism& parallelism);

}  // namespace stepsim

#endif
