#ifndef STEPSIM_BENCH_COUNTED_SOLVES_H
#define STEPSIM_BENCH_COUNTED_SOLVES_H

#include <cstddef>

#include "model/cost/network/network.h"

namespace stepsim::bench {

/// Returns the model maxmin with a counter. It counts how often the rates are solved at each instant. Supports one
/// replay at a time.
[[nodiscard]] const NetworkModel& counted_maxmin();

/// Returns the largest number of solves at one instant in the last replay with counted_maxmin(). A solve is not counted
/// if nothing changed since the previous one.
[[nodiscard]] std::size_t most_solves_of_an_instant();

}  // namespace stepsim::bench

#endif
