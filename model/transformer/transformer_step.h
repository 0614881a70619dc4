#ifndef STEPSIM_MODEL_TRANSFORMER_TRANSFORMER_STEP_H
#define STEPSIM_MODEL_TRANSFORMER_TRANSFORMER_STEP_H

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "model/base/units.h"
#include "model/cost/device/accelerator.h"
#include "model/job/kernel_class.h"
#include "model/job/operator_work.h"
#include "model/transformer/transformer.h"

namespace stepsim {

/// The function of autograd that adds a gradient to the sum of earlier ones: TransformerCall::node of such calls.
inline constexpr std::string_view kAccumulation = "torch::autograd::AccumulateGrad";

/// How a framework computes a training step of a transformer on one device.
struct TransformerRun {
  const Accelerator* device = nullptr;
  std::uint32_t sequence = 0;                 ///< tokens of a sample
  std::uint32_t samples = 1;                  ///< sequences that are computed at once: the micro batch
  Precision precision = Precision::kFloat16;  ///< of activations and of weights in products: kFloat16 or kFloat32
  bool scaled_loss = false;                   ///< as fp16 needs it, whose range is small
  /// Number of tensor-parallel ranks, of which the step is one. What they exchange is not in the step, so only measured
  /// times (apply_measured()) can contain it.
  std::uint32_t tensor = 1;
  bool flash = true;   ///< attention is one kernel; else products, softmax and dropout, which store all scores
  bool early = false;  ///< with the libraries of 2022 and 2023: this kernel is FlashAttention's first version
};

/// True if the rows of the logits, in numbers of 16 bits, do not begin at multiples of 16 bytes, which matrix units
/// need for their full rate. Frameworks pad the vocabulary to avoid that. O(1).
[[nodiscard]] bool is_unpadded(const Transformer& model, const TransformerRun& run) noexcept;

/// A call of the framework that launches one kernel.
struct TransformerCall {
  std::string_view name;            ///< "aten::addmm"
  std::vector<TensorShape> inputs;  ///< without those that have no shape
  Pass pass = Pass::kForward;
  std::string_view node;    ///< of the backward pass: the function of autograd around it
  std::string_view kernel;  ///< name of its kernel
  std::uint32_t part = 0;   ///< 0 before the layers, then the number of its layer from 1, then layers + 1
  double nanoseconds = 0;   ///< of its kernel
};

/// Returns the calls of a training step in the order in which they are made: the forward pass, the backward pass, which
/// accumulates a gradient for each parameter, and Adam's update, which keeps fp32 copies of weights of 16 bits. The
/// names and shapes are those that PyTorch records for an eager model, with one kernel for each call.
///
/// Times are roofline_time() of the call's work on the device, whose products reach Accelerator::step_share of their
/// rate, and those with an unpadded vocabulary less than half of it. Attention that is one kernel has rates of its own
/// (device_work.cpp). Ignores what fusion saves, and kernels that only move data, except for those around
/// attention without flash. O(layers).
[[nodiscard]] std::vector<TransformerCall> transformer_calls(const Transformer& model, const TransformerRun& run);

/// Measured times of a part of a model, in nanoseconds.
struct PartTimes {
  double forward = 0;
  double backward = 0;
  double update = 0;
};

/// Makes the kernels of each part take the measured time together, in proportion to the times that they have. The time
/// of a part without kernels goes to the last part: that of a lookup whose weight is tied and updated there.
/// `measured` has the parts by number (TransformerCall::part). Precondition: measured.size() == layers + 2. O(calls).
void apply_measured(std::span<const PartTimes> measured, std::vector<TransformerCall>& calls);

}  // namespace stepsim

#endif
