#include "ingest/stitch/host_device/kernel_launches.h"

#include <cstdint>
#include <vector>

namespace stepsim::ingest {

void add_kernel_launches(const RankEvents& events, const DeviceTasks& tasks, Assembly& assembly) {
  const HostDeviceTrace& trace = *events.trace;
  if (trace.launch_of.empty()) return;
  std::vector<std::uint32_t> launch_of(trace.size(), kNoIndex);
  for (const auto& [event, which] : trace.launch_of) launch_of[event] = which;
  LaunchTable& table = assembly.launches;
  const auto first = static_cast<std::uint32_t>(table.launches.size());
  table.uses.reserve(table.uses.size() + trace.launch_of.size());
  for (std::uint32_t i = 0; i < events.ops.size(); ++i) {
    const std::uint32_t which = launch_of[events.ops[i].event];
    if (which == kNoIndex) continue;
    tasks.for_each_task(i, [&](TaskId task) { table.uses.push_back({task, first + which}); });
  }
  table.launches.insert(table.launches.end(), trace.launches.begin(), trace.launches.end());
}

}  // namespace stepsim::ingest
