#ifndef STEPSIM_SIM_STATS_CALL_STACKS_H
#define STEPSIM_SIM_STATS_CALL_STACKS_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/job/task_tables.h"
#include "model/job/trace_details.h"
#include "sim/stats/measured_work.h"

namespace stepsim::sim {

inline bool is_module_call(const TraceDetails& details, const TraceDetails::Call& call) {
  return call.kind == CallKind::kPython && details.names[call.name].starts_with(kModulePrefix);
}

/// For each call, returns the nearest call around it for which `holds(call)` is true; TraceDetails::kNone if there is
/// none. O(calls).
template <class Holds>
std::vector<std::uint32_t> nearest_callers(const TraceDetails& details, Holds holds) {
  std::vector<std::uint32_t> nearest(details.calls.size(), TraceDetails::kNone);
  for (std::size_t i = 0; i < nearest.size(); ++i) {
    const std::uint32_t caller = details.calls[i].caller;
    if (caller != TraceDetails::kNone) nearest[i] = holds(details.calls[caller]) ? caller : nearest[caller];
  }
  return nearest;
}

/// A call stack of Python functions, as a node of a tree: the function of this node was called by that of `parent`, and
/// so on. Calls with the same stack share one node, even from different threads.
struct CallStack {
  static constexpr std::uint32_t kNone = 0xFFFFFFFFU;
  std::string name;              ///< name of the innermost function: "train.py(12): step", "nn.Module: Linear_1"
  std::uint32_t parent = kNone;  ///< node of the caller, which is earlier in the list; kNone if there is none
  std::uint32_t module = kNone;  ///< the node of the innermost enclosing module, which may be this one
  Rank rank = 0;
  std::size_t calls = 0;
  Duration total{};
  Duration self{};  ///< time without the Python functions that it called, including its operators
};

/// Returns all stacks, callers before callees; empty if Python calls were not recorded (with_stack). O(calls).
[[nodiscard]] std::vector<CallStack> call_stacks(const MeasuredWork& work);

/// A module of the model, summed over its calls.
struct ModuleUse {
  std::string name;  ///< for example "Linear_1"
  std::size_t calls = 0;
  Duration host{};       ///< time of its forward pass on the host, including inner modules
  Duration host_self{};  ///< time of its forward pass on the host, without inner modules
  Duration device{};     ///< time of the device work launched inside
  double flops = 0;      ///< operations of the operators called inside, if known on the host
};

/// Returns the modules by device time, then host time, the longest first; empty if module calls were not recorded.
/// O(calls + uses + modules log modules).
[[nodiscard]] std::vector<ModuleUse> module_use(const MeasuredWork& work);

}  // namespace stepsim::sim

#endif
