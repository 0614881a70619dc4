#ifndef STEPSIM_BENCH_COUNTED_SOLVES_H
#define STEPSIM_BENCH_COUNTED_SOLVES_H

#include <cstddef>

#include "model/cost/network/network.h"

namespace stepsim::bench {

/// Returns the network model maxmin with a counter: how often it computes the rates of all messages (a solve) at each
/// instant. Supports one replay at a time.
[[nodiscard]] const NetworkModel& counted_maxmin();

/// Returns the largest number of times that the last replay with counted_maxmin() computed the rates of messages at one
/// instant. A computation does not count if nothing changed since the previous one.
[[nodiscard]] std::size_t most_solves_of_an_instant();

}  // namespace stepsim::bench

#endif
