#ifndef STEPSIM_SCENARIOS_CHANGE_BATCH_GROWTH_H
#define STEPSIM_SCENARIOS_CHANGE_BATCH_GROWTH_H

#include <string_view>

#include "scenarios/change/what_if.h"

namespace stepsim::scenarios {

/// Asks for `factor` times as many samples per worker and step, in `parts` parts that are computed one after another
/// (Plan::at_once). Precondition: factor > 0 and parts > 0.
void ask_for_samples(const Change& change, const YamlField& value, double factor, double parts, Plan& plan);

/// Adds the change to `plan` that multiplies the samples that are computed at once by `factor`. Work on samples grows
/// with their number. Work on parameters (the optimizer, the reduction of gradients) does not change. Messages between
/// pipeline stages, all-to-alls and collectives of activations grow, and their elements are `element` times as large.
/// Throws CannotAnswer at `value` if the capture does not show which work is on samples, or if less than one sample
/// would be computed at once. Precondition: factor > 0 and
/// element > 0. Factors of 1 change nothing.
void grow_batch(const Change& change, const YamlField& value, double factor, double element, Plan& plan);

}  // namespace stepsim::scenarios

#endif
