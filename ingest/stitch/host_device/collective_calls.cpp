#include "ingest/stitch/host_device/host_device.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ingest/parts/busy_time.h"
#include "ingest/parts/collective_calls.h"
#include "ingest/stitch/host_device/rank_events.h"

namespace stepsim::ingest {
namespace {

/// The call of a collective around a launch.
struct AroundLaunch {
  std::uint32_t call = kNoIndex;
  bool directly = true;  ///< false if another operator is open in between
};

/// By the event of a runtime call: the collective's call around it.
using LaunchesInCalls = std::unordered_map<std::uint32_t, AroundLaunch>;

/// Visits the events of one thread, sorted by sort_nested().
void find_launches(const HostDeviceTrace& trace, const std::vector<std::uint32_t>& events, LaunchesInCalls& launches) {
  std::vector<std::pair<Time, AroundLaunch>> open;  // by end, the innermost last
  for (const std::uint32_t event : events) {
    while (!open.empty() && open.back().first <= trace.start[event]) open.pop_back();
    const Time end = trace.start[event] + trace.duration[event];
    if (is_collective_call(trace, event)) {
      open.emplace_back(end, AroundLaunch{event});
    } else if (open.empty()) {
      continue;
    } else if (trace.kind[event] == EventKind::kRuntimeCall) {
      launches.emplace(event, open.back().second);
    } else if (trace.kind[event] == EventKind::kOp && !trace.text(trace.name[event]).starts_with(kNcclAnnotation)) {
      open.emplace_back(end, AroundLaunch{open.back().second.call, false});
    }
  }
}

/// Returns the launches within the calls of collectives.
LaunchesInCalls launches_in_calls(const HostDeviceTrace& trace) {
  std::vector<std::vector<std::uint32_t>> threads(trace.tracks.size());
  std::vector<bool> calls(trace.tracks.size());
  for (std::uint32_t i = 0; i < trace.size(); ++i) {
    if (is_collective_call(trace, i)) calls[trace.track[i].index()] = true;
  }
  LaunchesInCalls launches;
  if (std::find(calls.begin(), calls.end(), true) == calls.end()) return launches;
  for (std::uint32_t i = 0; i < trace.size(); ++i) {
    const std::size_t track = trace.track[i].index();
    if (calls[track] && in_time(trace.start[i], trace.duration[i])) threads[track].push_back(i);
  }
  for (std::vector<std::uint32_t>& events : threads) {
    sort_nested(trace, events);
    find_launches(trace, events, launches);
  }
  return launches;
}

/// Returns all calls with the correlation of one of `launches`, because a profiler may use a number again.
RankEvents calls_like(const HostDeviceTrace& trace, const LaunchesInCalls& launches) {
  std::unordered_set<std::int64_t> correlations;
  for (const auto& [event, around] : launches) correlations.insert(trace.correlation[event]);
  RankEvents found;
  found.trace = &trace;
  for (std::uint32_t i = 0; i < trace.size(); ++i) {
    if (trace.kind[i] == EventKind::kRuntimeCall && correlations.contains(trace.correlation[i]))
      found.calls.emplace_back(trace.correlation[i], i);
  }
  sort_calls(found);
  return found;
}

}  // namespace

void join_collectives(HostDeviceTrace& trace) {
  const LaunchesInCalls launches = launches_in_calls(trace);
  if (launches.empty()) return;
  const RankEvents calls = calls_like(trace, launches);
  std::map<std::uint32_t, std::vector<LaunchedWork>> launched;
  for (std::uint32_t i = 0; i < trace.size(); ++i) {
    if (!is_device_work(trace.kind[i]) || !in_time(trace.start[i]) || trace.correlation[i] < 0) continue;
    const auto launch = launches.find(calls.call_of(trace.correlation[i], trace.start[i]));
    if (launch != launches.end()) launched[launch->second.call].push_back({i, launch->second.directly});
  }
  for (const auto& [call, work] : launched) join_collective(call, work, trace);
}

}  // namespace stepsim::ingest
