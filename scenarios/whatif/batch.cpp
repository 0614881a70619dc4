#include <array>

#include "scenarios/change/batch_growth.h"
#include "scenarios/change/what_if.h"

// What-if `batch`: changes the batch size per worker.

namespace stepsim::scenarios {
namespace {

constexpr std::array kBatchParameters{
    Parameter{"scale", "a number such as 2 above 0", "factor on the samples per worker and step", "1"},
};

void apply_batch(const Change& change, Plan& plan) {
  if (const YamlField* const value = change.find("scale")) grow_batch(change, *value, scale_of(*value, 1e-6), plan);
}

}  // namespace

extern const WhatIf batch_what_if;
const WhatIf batch_what_if{
    .name = "batch",
    .summary = "Change the batch size: compute and activations grow with it, gradients and the optimizer do not",
    .ignores = "CPU work per sample, and whether the batch fits in memory",
    .parameters = kBatchParameters,
    .apply = apply_batch,
};

}  // namespace stepsim::scenarios
