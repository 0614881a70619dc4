#ifndef STEPSIM_MODEL_REWRITE_PARALLEL_LAYERS_H
#define STEPSIM_MODEL_REWRITE_PARALLEL_LAYERS_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/job/recording.h"
#include "model/rewrite/parallel/model_calls.h"

namespace stepsim {

/// A part of a sequence that repeats: `count` periods of `length` elements from `first` on. count is 0 if nothing does.
struct RepeatedPart {
  std::size_t first = 0;
  std::size_t length = 0;
  std::size_t count = 0;
};

/// Returns the repetition that covers most of a sequence; of several, the one with the shortest period. O(n * longest
/// period), which is at most 5,000.
[[nodiscard]] RepeatedPart repeated_part_of(std::span<const std::uint32_t> sequence);

/// Returns model_calls() of one step: of the whole steps that have a forward and a backward pass, the one of median
/// length, and the longer of two, so that the job is not divided as if its steps were shorter. Empty if there is none.
/// O(tasks + uses log uses).
[[nodiscard]] std::vector<ModelCall> calls_of_typical_step(const Capture& capture);

/// The forward and the backward pass of a step, as ranges of calls.
struct Passes {
  std::size_t forward = 0;
  std::size_t backward = 0;
  std::size_t end = 0;
};

/// Returns the passes of the first step that has both. Throws CannotAnswer if none does.
[[nodiscard]] Passes passes_of(const std::vector<ModelCall>& calls);

/// The repeated layers of a step: what repeats in the forward pass, and as often in the backward pass. Layers are
/// numbered in the order of the forward pass. Places are indices of calls.
struct StepLayers {
  Passes passes;
  std::size_t count = 0;
  RepeatedPart down;  ///< in the forward pass; `first` is the call that begins layer 0
  RepeatedPart back;  ///< in the backward pass; `first` is the call that begins the last layer

  /// Returns where a layer begins. forward_of(count) is where what follows the layers begins.
  [[nodiscard]] std::size_t forward_of(std::size_t layer) const { return down.first + layer * down.length; }
  [[nodiscard]] std::size_t backward_of(std::size_t layer) const {
    return std::min(back.first + (count - 1 - layer) * back.length, passes.end - 1);
  }
  [[nodiscard]] std::size_t backward_end_of(std::size_t layer) const {
    return std::min(backward_of(layer) + back.length, passes.end);
  }
};

/// Returns the layers of a step. Throws CannotAnswer if it has no passes, or no layers that repeat. O(calls * calls of
/// a layer).
[[nodiscard]] StepLayers layers_of(const std::vector<ModelCall>& calls);

/// Throws CannotAnswer if the forward pass has more layers than those that repeat call by call: if what is before and
/// after them has all products of a layer, too. torch.compile makes such layers, because it fuses the calls between
/// products in more than one way. O(calls log calls).
void need_all_layers(const OperatorTable& table, const std::vector<ModelCall>& calls, const StepLayers& layers);

/// Throws CannotAnswer if the capture does not show which layers its gradients belong to: if several layers of the step
/// have none when their backward pass ends. Of a compiled model, all gradients are ready after the backward pass.
/// O(gradients log layers).
void need_gradients_of_layers(const Capture& capture, const std::vector<ModelCall>& calls, const StepLayers& layers);

}  // namespace stepsim

#endif
