#ifndef STEPSIM_MODEL_REWRITE_PARALLEL_TENSOR_DIVISION_H
#define STEPSIM_MODEL_REWRITE_PARALLEL_TENSOR_DIVISION_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/base/units.h"
#include "model/job/collective.h"
#include "model/job/operator_work.h"
#include "model/rewrite/parallel/model_calls.h"

namespace stepsim {

/// How tensor-parallel ranks divide the calls of a transformer (Shoeybi et al. 2019, "Megatron-LM").
struct TensorDivision {
  /// A collective of activations or their gradients.
  struct Exchange {
    CollectiveOp op = CollectiveOp::kAllReduce;  ///< or kReduceScatter or kAllGather
    /// Index of a call: a reduction sums what it computes, an all-gather begins when all before it is computed.
    std::size_t at = 0;
    std::optional<std::size_t> before;  ///< index of the first call that needs the result; nothing if none does
    Bytes bytes{};
  };
  std::vector<Divided> divided;     ///< for each call
  std::vector<Exchange> exchanges;  ///< in the order in which they are launched
  std::size_t products = 0;         ///< number of products of the forward pass that are divided
  std::size_t whole_products = 0;   ///< number of products of the forward pass that every rank does
  std::int64_t heads = 0;           ///< heads of each attention; 0 if no operator shows them
  /// Heads of keys and values, of which several queries may share one; as many as `heads` if no layer shows fewer.
  std::int64_t key_heads = 0;
};

/// True for one product of two matrices.
[[nodiscard]] bool is_single_product(const OperatorTable::Operator& op) noexcept;
/// True for several products of two matrices, such as those of an attention.
[[nodiscard]] bool is_batched_product(const OperatorTable::Operator& op) noexcept;
/// True for a lookup of rows in a table: aten::embedding, or what it calls.
[[nodiscard]] bool is_lookup(const OperatorTable::Operator& op) noexcept;

/// Divides the calls as Megatron does. Only shapes are used, because a capture does not say which tensor is which:
///
/// - A linear layer is a product with as many rows as the step has tokens. Between two sums over the hidden dimension,
///   the layers that read it are divided by columns, and the one that computes it again is divided by its inner
///   dimension; its result is summed. What lies between them (the heads of an attention, the activation) is divided.
/// - The last layer, if it computes more than twice the hidden dimension, and what follows it are divided by the
///   vocabulary. The result of the lookup in the largest table is summed.
/// - In the backward pass, the two products of a layer have its three dimensions. The gradient of what the layers
///   divided by columns read is summed while later products run.
/// - Everything else is done by every rank: norms, residual connections, layers that fit no pair.
///
/// If `sequence` is true, ranks divide what works on the hidden dimension by tokens, except layers that fit no pair
/// (Korthikanti et al. 2022, "Reducing Activation Recomputation in Large Transformer Models"). Each sum is then a
/// reduce-scatter. Layers divided by columns gather their input before the forward pass, and again for the gradient of
/// their weight, while the gradient of their input is computed. The layer that ends a pair gathers the gradient of its
/// result, and so does the lookup.
///
/// O(calls).
[[nodiscard]] TensorDivision divide_calls(const OperatorTable& table, const std::vector<ModelCall>& calls,
                                          bool sequence, bool overlap = true);

}  // namespace stepsim

#endif
