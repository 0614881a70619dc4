#ifndef STEPSIM_TESTS_MODEL_REWRITE_TRANSFORMER_JOB_H
#define STEPSIM_TESTS_MODEL_REWRITE_TRANSFORMER_JOB_H

#include <cstddef>
#include <cstdint>

#include "model/job/recording.h"

namespace stepsim::testing {

/// One training step of a transformer on one GPU, in the form in which ingest delivers a trace of PyTorch with shapes:
/// two lookups, layers with an attention and two linear layers more, a norm and the layer to the vocabulary, then the
/// backward pass, which accumulates a gradient for each weight, and an optimizer. A thread launches one kernel for each
/// call.
struct TransformerJob {
  std::size_t layers = 4;
  std::int64_t batch = 2;
  std::int64_t sequence = 48;
  std::int64_t hidden = 16;
  std::int64_t heads = 4;
  std::int64_t key_heads = 0;  ///< heads of keys and values; 0: as many as heads
  std::int64_t vocabulary = 100;
  Duration kernel{10'000};  ///< duration of each kernel
  Duration call{0};         ///< duration of each launching call
  std::int64_t element_bytes = 4;
  bool dropout = false;      ///< if true, weights of attention and what layers add are dropped out
  std::int64_t experts = 0;  ///< if not 0, each layer has so many of its last two linear layers, and a router
  bool loss = false;         ///< if true, the result of the layer to the vocabulary is cast to 32 bits for a loss
  bool ends = true;  ///< if true, there are lookups, the last norm, the layer to the vocabulary and an optimizer

  [[nodiscard]] std::int64_t tokens() const noexcept { return batch * sequence; }
  [[nodiscard]] Capture capture() const;
};

/// The number of calls of a layer in the forward and in the backward pass.
inline constexpr std::size_t kForwardCalls = 12;
inline constexpr std::size_t kBackwardCalls = 22;

}  // namespace stepsim::testing

#endif
