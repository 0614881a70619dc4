#include "sim/stats/memory_use.h"

#include <algorithm>
#include <limits>

namespace stepsim::sim {
namespace {

using Point = TraceDetails::MemoryPoint;

std::vector<Point> curve_of(const std::vector<Point>& points) {
  const Time begin = points.front().time;
  const Duration width = (points.back().time - begin) / MemoryUse::kMostPoints + Duration{1};
  std::vector<Point> curve;
  std::int64_t last = -1;
  for (const Point& point : points) {
    const std::int64_t stretch = (point.time - begin) / width;
    if (stretch != last) {
      curve.push_back(point);
    } else if (point.allocated > curve.back().allocated) {
      curve.back() = point;
    }
    last = stretch;
  }
  return curve;
}

MemoryUse use_of(const TraceDetails::Memory& memory) {
  MemoryUse use{.rank = memory.rank, .device = memory.device, .peak = memory.points.front()};
  for (const Point& point : memory.points) {
    if (point.change > Bytes{}) {
      ++use.allocations;
      const Bytes room = Bytes{std::numeric_limits<std::int64_t>::max()} - use.allocated_in_all;
      use.allocated_in_all += std::min(point.change, room);
    } else if (point.change < Bytes{}) {
      ++use.releases;
    }
    if (point.allocated > use.peak.allocated) use.peak = point;
    use.most_reserved = std::max(use.most_reserved, point.reserved);
  }
  use.first = memory.points.front().allocated;
  use.last = memory.points.back().allocated;
  use.curve = curve_of(memory.points);
  return use;
}

}  // namespace

std::vector<MemoryUse> memory_use(const TraceDetails& details) {
  std::vector<MemoryUse> made;
  for (const TraceDetails::Memory& memory : details.memory) {
    if (!memory.points.empty()) made.push_back(use_of(memory));
  }
  return made;
}

}  // namespace stepsim::sim
