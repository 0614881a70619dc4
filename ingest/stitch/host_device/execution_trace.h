#ifndef STEPSIM_INGEST_STITCH_HOST_DEVICE_EXECUTION_TRACE_H
#define STEPSIM_INGEST_STITCH_HOST_DEVICE_EXECUTION_TRACE_H

#include <cstddef>

#include "ingest/parts/execution_trace.h"
#include "ingest/parts/part.h"

namespace stepsim::ingest {

/// How much of an execution trace found its event.
struct JoinedOperators {
  std::size_t joined = 0;
  std::size_t all = 0;  ///< operators and annotations of the execution trace
};

/// Completes `trace` by the execution trace of the same process and run: which memory its operators used, which
/// collectives they started and waited for, and, where the trace has none, their shapes. The k-th run of a name is the
/// k-th event of it, in the order of begins, for names that both have equally often: in the traces at hand every one of
/// these pairs has equal ids ("Record function id" and rf_id), where they are recorded. O(events log events).
JoinedOperators join_execution_trace(const ExecutionTrace& execution, HostDeviceTrace& trace);

}  // namespace stepsim::ingest

#endif
