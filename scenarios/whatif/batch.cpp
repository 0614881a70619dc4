#include <array>

#include "scenarios/change/batch_growth.h"
#include "scenarios/change/plan.h"
#include "scenarios/change/what_if.h"

// What-if `batch`: changes the batch size per worker.

namespace stepsim::scenarios {
namespace {

constexpr std::array kBatchParameters{
    Parameter{"scale", value::scale_above(0, "2"), "factor on the samples per worker and step", "1"},
};

void apply_batch(const Change& change, Plan& plan) {
  double factor = 1;
  if (const YamlField* const value = change.read("scale", factor)) ask_for_samples(change, *value, factor, 1, plan);
}

}  // namespace

extern const WhatIf batch_what_if{
    .name = "batch",
    .summary = "Change the batch size: compute and activations grow with it, gradients and the optimizer do not",
    .ignores = "CPU work per sample, and, where the memory that it needs is not known, whether the batch fits",
    .parameters = kBatchParameters,
    .asks = {sim::Question::kDevice},
    .kind = kind_is<AnswerKind::kBatch>,
    .apply = apply_batch,
    .sets_samples = true,
};

}  // namespace stepsim::scenarios
