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

/// A call stack of Python functions: the function of a node, called by that of `parent`, and so on. Calls with the same
/// stack are one node, whatever their thread.
struct CallStack {
  static constexpr std::uint32_t kNone = 0xFFFFFFFFU;
  std::string name;              ///< of the innermost function: "train.py(12): step", "nn.Module: Linear_1"
  std::uint32_t parent = kNone;  ///< a node before this one
  std::uint32_t module = kNone;  ///< the node of the innermost module around it, which may be itself
  Rank rank = 0;
  std::size_t calls = 0;
  Duration total{};
  Duration self{};  ///< without the Python functions that it called; with its operators
};

/// All stacks, callers before callees; empty where Python's calls were not recorded (with_stack). O(calls).
[[nodiscard]] std::vector<CallStack> call_stacks(const MeasuredWork& work);

/// A module of the model, summed over its calls.
struct ModuleUse {
  std::string name;  ///< "Linear_1"
  std::size_t calls = 0;
  Duration host{};       ///< its forward pass on the host, modules inside included
  Duration host_self{};  ///< without the modules inside
  Duration device{};     ///< of the device work launched inside
  double flops = 0;      ///< of the operators called inside, where that is known on the host
};

/// By time on the device, then on the host, the longest first; empty where modules' calls were not recorded.
/// O(calls + uses + modules log modules).
[[nodiscard]] std::vector<ModuleUse> module_use(const MeasuredWork& work);

}  // namespace stepsim::sim

#endif
