#ifndef STEPSIM_TESTS_SIM_STATS_TRACED_CALLS_H
#define STEPSIM_TESTS_SIM_STATS_TRACED_CALLS_H

#include <algorithm>
#include <string>

#include "model/job/trace_details.h"

namespace stepsim::testing {

/// Makes calls of one thread of rank 0 by hand. Times are in nanoseconds, and calls are added in order of start.
class TracedCalls {
 public:
  TracedCalls() { details.threads.push_back({0, "thread 1"}); }

  /// Adds a call and returns its number. `caller` is the number of the enclosing call, and its self time excludes this
  /// call.
  std::uint32_t add(CallKind kind, const std::string& name, std::int64_t begin, std::int64_t end,
                    std::uint32_t caller = TraceDetails::kNone, double flops = 0) {
    const auto known = std::find(details.names.begin(), details.names.end(), name);
    const auto number = static_cast<std::uint32_t>(known - details.names.begin());
    if (known == details.names.end()) details.names.push_back(name);
    const Duration length{end - begin};
    if (caller != TraceDetails::kNone) details.calls[caller].self -= length;
    details.calls.push_back({.start = Time{Duration{begin}},
                             .duration = length,
                             .self = length,
                             .flops = flops,
                             .name = number,
                             .thread = 0,
                             .caller = caller,
                             .kind = kind});
    return static_cast<std::uint32_t>(details.calls.size() - 1);
  }

  TraceDetails details;
};

}  // namespace stepsim::testing

#endif
