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

/// The rules of LogGOPSim as it ran for the totals of docs/test-data.md, or with causality.
enum class LogGOPSRules {
  /// As that program does it, found by trying: an operation that another processor of its host
  /// sets free begins when its own processor is free, though what set it free may end later; the
  /// time a message takes to receive is charged to the sending processor of the receiver; the
  /// receives from one peer are posted one after the other, in the order of the tasks.
  kAsItIs,
  /// Nothing begins before what it waits for has ended; receiving has its own processor; all
  /// receives are posted from the start.
  kCausal,
};

/// When the last processor of a host is done, in nanoseconds, by an event loop of its own: each
/// message is a send, a receive and an arrival, and what finds its processor or NIC busy is put
/// back for when it is free. Computes, sends and receives of a host have a processor each.
[[nodiscard]] std::int64_t log_gops_finish(const Dag& dag, int hosts, const LogGPCosts& costs, LogGOPSRules rules);

}  // namespace stepsim::testing

#endif
