#ifndef STEPSIM_TESTS_THEORY_LOG_GOPS_REFERENCE_H
#define STEPSIM_TESTS_THEORY_LOG_GOPS_REFERENCE_H

#include <cstdint>

#include "model/job/dag.h"

namespace stepsim::testing {

struct LogGPCosts {
  std::int64_t latency = 1000;
  std::int64_t overhead = 200;
  std::int64_t gap = 0;
  std::int64_t gap_per_byte = 1;
};

/// The rules of LogGOPSim for the totals of docs/internals/test-data.md, and a variant in which causes precede effects.
enum class LogGOPSRules {
  /// The rules of the program itself, found by experiment. If one processor of a host releases an operation of another
  /// processor, the operation begins when its own processor is free, even if the releasing operation ends later. The
  /// time to receive a message is charged to the processor with which the receiver sends. The receives from one peer
  /// are posted one after the other, in the order of the tasks.
  kAsItIs,
  /// No operation begins before the operations for which it waits have ended. Receiving has a separate processor. All
  /// receives are posted from the start.
  kCausal,
};

/// Returns when the last processor of any host is done, in nanoseconds. A separate event loop computes this: each
/// message is a send, a receive and an arrival. If the processor or NIC of an event is busy, the event is postponed
/// until it is free. Each host has one processor for computes, one for sends and one for receives.
[[nodiscard]] std::int64_t log_gops_finish(const Dag& dag, int hosts, const LogGPCosts& costs, LogGOPSRules rules);

}  // namespace stepsim::testing

#endif
