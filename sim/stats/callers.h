#ifndef STEPSIM_SIM_STATS_CALLERS_H
#define STEPSIM_SIM_STATS_CALLERS_H

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/job/task_tables.h"
#include "model/job/trace_details.h"

namespace stepsim::sim {

inline bool is_module_call(const TraceDetails& details, const TraceDetails::Call& call) {
  return call.kind == CallKind::kPython && details.names[call.name].starts_with(kModulePrefix);
}

/// For each call the nearest one around it of which `holds(call)` is true; TraceDetails::kNone if there is none.
/// O(calls).
template <class Holds>
std::vector<std::uint32_t> nearest_callers(const TraceDetails& details, Holds holds) {
  std::vector<std::uint32_t> nearest(details.calls.size(), TraceDetails::kNone);
  for (std::size_t i = 0; i < nearest.size(); ++i) {
    const std::uint32_t caller = details.calls[i].caller;
    if (caller != TraceDetails::kNone) nearest[i] = holds(details.calls[caller]) ? caller : nearest[caller];
  }
  return nearest;
}

}  // namespace stepsim::sim

#endif
