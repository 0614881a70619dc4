#ifndef STEPSIM_INGEST_MODELLED_MODELLED_TRACE_H
#define STEPSIM_INGEST_MODELLED_MODELLED_TRACE_H

#include <cstdint>
#include <span>
#include <string>

#include "ingest/parts/part.h"
#include "model/base/units.h"
#include "model/transformer/transformer_step.h"

namespace stepsim::ingest {

/// What a modelled trace says about itself.
struct ModelledStep {
  std::string model;         ///< HostDeviceTrace::modelled
  std::string device;        ///< name of the accelerator
  std::int64_t samples = 1;  ///< samples of the step
  Duration host{};           ///< time that the CPU takes for each call; at least 1 us, so that its events fit into it
  bool waits_for_passes = false;  ///< the CPU waits for the device after each pass, as timers make it do
};

/// Returns a step as PyTorch's profiler would have recorded it: a thread makes the calls one after another, each of
/// which launches its kernel on one stream, and in the end waits for the device. The calls of the backward pass are
/// within functions of autograd, and those of the update within an optimizer's step. O(calls).
[[nodiscard]] HostDeviceTrace modelled_trace(std::span<const TransformerCall> calls, const ModelledStep& step);

}  // namespace stepsim::ingest

#endif
