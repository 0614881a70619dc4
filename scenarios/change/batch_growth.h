#ifndef STEPSIM_SCENARIOS_CHANGE_BATCH_GROWTH_H
#define STEPSIM_SCENARIOS_CHANGE_BATCH_GROWTH_H

#include "scenarios/change/what_if.h"

namespace stepsim::scenarios {

/// Every worker takes `factor` times the samples in a step. Work on samples grows with their number. Work on parameters
/// does not: the optimizer, and the reduction of gradients, which have the sizes of the parameters. Messages between
/// pipeline stages and all-to-alls carry activations and grow. Throws InputError at `value`, which asks for it, where
/// the capture does not show what works on samples. Precondition: factor > 0. A factor of 1 changes nothing.
void grow_batch(const Change& change, const YamlField& value, double factor, Plan& plan);

}  // namespace stepsim::scenarios

#endif
