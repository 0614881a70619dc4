#include <array>

#include "scenarios/change/batch_growth.h"
#include "scenarios/change/what_if.h"

// Another batch size per worker.

namespace stepsim::scenarios {
namespace {

constexpr std::array kBatchParameters{
    Parameter{"scale", "a number such as 2 above 0", "of the samples of a worker in a step", "1"},
};

void apply_batch(const Change& change, Plan& plan) {
  if (const YamlField* const value = change.find("scale")) grow_batch(change, *value, scale_of(*value, 1e-6), plan);
}

}  // namespace

extern const WhatIf batch_what_if;
const WhatIf batch_what_if{
    .name = "batch",
    .summary = "another batch size: compute and activations grow with it, gradients and the optimizer do not",
    .ignores = "host work per sample, and the limit of memory",
    .parameters = kBatchParameters,
    .apply = apply_batch,
};

}  // namespace stepsim::scenarios
