#ifndef STEPSIM_BENCH_COUNTED_SOLVES_H
#define STEPSIM_BENCH_COUNTED_SOLVES_H

#include <cstddef>

#include "model/cost/network/network.h"

namespace stepsim::bench {

/// The model maxmin, counted: how often an instant was solved. For one replay at a time.
[[nodiscard]] const NetworkModel& counted_maxmin();

/// Of the last replay under it: the largest number of solves at one instant, those after which
/// nothing had changed left out.
[[nodiscard]] std::size_t most_solves_of_an_instant();

}  // namespace stepsim::bench

#endif
