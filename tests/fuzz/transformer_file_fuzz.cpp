#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ingest/config/config.h"
#include "model/base/error.h"
#include "model/transformer/transformer.h"

/// An accepted model without a problem must have a finite number of parameters and of operations.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const stepsim::Transformer model =
        stepsim::ingest::parse_transformer({reinterpret_cast<const char*>(data), size}, "config.json").model;
    if (stepsim::problem_of(model)) return 0;
    const double parameters = model.parameters();
    const double flops = model.forward_flops(2048);
    if (!std::isfinite(parameters) || parameters <= 0 || !std::isfinite(flops) || flops <= 0) __builtin_trap();
  } catch (const stepsim::InputError&) {
    return 0;
  }
  return 0;
}
