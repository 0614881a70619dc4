#include "ingest/parts/host_device_trace.h"

#include <algorithm>
#include <map>

namespace stepsim::ingest {

std::optional<std::int32_t> busiest_device(const HostDeviceTrace& trace) {
  std::map<std::int32_t, std::size_t> pieces;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    if (is_device_work(trace.kind[i])) ++pieces[trace.tracks[trace.track[i].index()].device];
  }
  if (pieces.empty()) return std::nullopt;
  return std::max_element(pieces.begin(), pieces.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

}  // namespace stepsim::ingest
