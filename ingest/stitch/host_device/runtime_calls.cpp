#include "ingest/stitch/host_device/runtime_calls.h"

#include <algorithm>
#include <array>

namespace stepsim::ingest {

CallWait wait_of_call(std::string_view name) noexcept {
  for (const std::string_view prefix : {"cuda", "hip", "cu"}) {
    if (!name.starts_with(prefix)) continue;
    name.remove_prefix(prefix.size());
    break;
  }
  if (name.starts_with("DeviceSynchronize") || name.starts_with("CtxSynchronize")) return CallWait::kDevice;
  if (name.starts_with("StreamSynchronize") || name.starts_with("EventSynchronize")) return CallWait::kStream;
  if (name.starts_with("Memcpy") && name.find("pool") == std::string_view::npos) return CallWait::kOwnWork;
  static constexpr std::array<std::string_view, 6> kAllocating{"Malloc",   "Free",     "HostAlloc",
                                                               "HostFree", "MemAlloc", "MemFree"};
  const bool allocates = std::any_of(kAllocating.begin(), kAllocating.end(),
                                     [name](std::string_view word) { return name.starts_with(word); });
  if (allocates) return CallWait::kAllocation;
  return name.find("Launch") != std::string_view::npos ? CallWait::kLaunch : CallWait::kNothing;
}

}  // namespace stepsim::ingest
