#include "ingest/stitch/host_device/runtime_calls.h"

#include <algorithm>
#include <initializer_list>

namespace stepsim::ingest {

CallWait wait_of_call(std::string_view name) noexcept {
  for (const std::string_view prefix : {"cuda", "hip", "cu", "aclrt"}) {
    if (!name.starts_with(prefix)) continue;
    name.remove_prefix(prefix.size());
    break;
  }
  const auto is_one_of = [name](std::initializer_list<std::string_view> beginnings) {
    return std::any_of(beginnings.begin(), beginnings.end(),
                       [name](std::string_view b) { return name.starts_with(b); });
  };
  if (is_one_of({"DeviceSynchronize", "CtxSynchronize", "SynchronizeDevice"})) return CallWait::kDevice;
  if (is_one_of({"StreamSynchronize", "EventSynchronize", "SynchronizeStream", "SynchronizeEvent"}))
    return CallWait::kStream;
  if (name.starts_with("Memcpy") && name.find("pool") == std::string_view::npos) return CallWait::kOwnWork;
  if (is_one_of({"Malloc", "Free", "HostAlloc", "HostFree", "MemAlloc", "MemFree"})) return CallWait::kAllocation;
  // CANN's call for a kernel is "launch".
  return name.find("Launch") != std::string_view::npos || name == "launch" ? CallWait::kLaunch : CallWait::kNothing;
}

}  // namespace stepsim::ingest
