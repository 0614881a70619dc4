#include "sim/stats/memory_use.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "sim/analysis/intervals.h"
#include "sim/stats/distribution.h"

namespace stepsim::sim {
namespace {

using Point = AllocationTable::Event;

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

MemoryUse use_of(const AllocationTable::Memory& memory) {
  MemoryUse use{.rank = memory.rank,
                .device = memory.device < 0 ? std::string("CPU") : fmt::format("device {}", memory.device),
                .peak = memory.events.front()};
  for (const Point& point : memory.events) {
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
  use.first = memory.events.front().allocated;
  use.last = memory.events.back().allocated;
  use.curve = curve_of(memory.events);
  return use;
}

}  // namespace

std::vector<MemoryUse> memory_use(const AllocationTable& allocations) {
  std::vector<MemoryUse> made;
  made.reserve(allocations.memories.size());
  for (const AllocationTable::Memory& memory : allocations.memories) made.push_back(use_of(memory));
  return made;
}

namespace {

constexpr double kSecond = 1e9;  // in nanoseconds

struct Copy {
  Time start;
  Duration length{};
  Bytes bytes{};
};

double rate_of(Bytes bytes, Duration time) noexcept {
  return time > Duration{} ? static_cast<double>(bytes.count()) / static_cast<double>(time.count()) * kSecond : 0;
}

/// Returns the curve of the copies' rate. Assumes that each copy moves its bytes at a constant rate; a copy of zero
/// duration moves them in one nanosecond.
std::vector<CopyUse::RatePoint> curve_of(const std::vector<Copy>& copies) {
  const auto end_of = [](const Copy& copy) { return copy.start + std::max(copy.length, Duration{1}); };
  Time begin = copies.front().start;
  Time end = begin;
  for (const Copy& copy : copies) {
    begin = std::min(begin, copy.start);
    end = std::max(end, end_of(copy));
  }
  const Duration width = (end - begin) / CopyUse::kMostPoints + Duration{1};
  std::vector<CopyUse::RatePoint> curve;
  for (Time at = begin; at < end; at += width) curve.push_back({at, 0});
  for (const Copy& copy : copies) {
    const double rate =
        static_cast<double>(copy.bytes.count()) / static_cast<double>((end_of(copy) - copy.start).count());
    for (auto stretch = static_cast<std::size_t>((copy.start - begin) / width);
         stretch < curve.size() && curve[stretch].time < end_of(copy); ++stretch) {
      const Interval window{curve[stretch].time, curve[stretch].time + width};
      const Interval inside = clipped({copy.start, end_of(copy)}, window);
      curve[stretch].bytes_per_second += rate * static_cast<double>((inside.end - inside.begin).count());
    }
  }
  for (CopyUse::RatePoint& point : curve) point.bytes_per_second *= kSecond / static_cast<double>(width.count());
  curve.push_back({curve.back().time + width, 0});
  curve.erase(std::unique(curve.begin(), curve.end(),
                          [](const auto& a, const auto& b) { return a.bytes_per_second == b.bytes_per_second; }),
              curve.end());
  return curve;
}

Bytes sum_of(Bytes a, Bytes b) noexcept { return a + std::min(b, Bytes{std::numeric_limits<std::int64_t>::max()} - a); }

/// Work that consists of several tasks is one piece, whose index is that of the first task. Returns the bytes of the
/// other tasks, by lane and start of the piece.
std::map<std::pair<LaneId, Time>, Bytes> bytes_of_parts(const MeasuredWork& work) {
  std::map<std::pair<LaneId, Time>, Bytes> bytes;
  for (const TraceDetails::RecordedTask& part : work.details.tasks) {
    if (!part.whole) bytes[{work.capture.dag.lane_id(part.task), part.start}] += work.capture.dag.bytes(part.task);
  }
  return bytes;
}

CopyUse use_of(Rank rank, std::string_view name, const std::vector<Copy>& copies) {
  CopyUse use{.rank = rank, .name = std::string(name), .count = copies.size()};
  if (copies.empty()) return use;
  std::vector<Bytes> sizes;
  for (const Copy& copy : copies) {
    use.total = sum_of(use.total, copy.bytes);
    use.time = saturated_sum(use.time, copy.length);
    use.highest_rate = std::max(use.highest_rate, rate_of(copy.bytes, copy.length));
    sizes.push_back(copy.bytes);
  }
  std::sort(sizes.begin(), sizes.end());
  const Bytes lower = sizes[(sizes.size() - 1) / 2];
  const Bytes upper = sizes[sizes.size() / 2];
  use.smallest = sizes.front();
  use.largest = sizes.back();
  use.median = Bytes{lower.count() + (upper - lower).count() / 2};
  use.curve = curve_of(copies);
  return use;
}

Duration time_of(const TransportUse& use) {
  Duration sum = use.channel_time;
  for (const TransportUse::Direction& way : {use.sent, use.received}) {
    for (const Duration part : {way.device, way.peer, way.network}) sum = saturated_sum(sum, part);
  }
  return sum;
}

}  // namespace

double CopyUse::rate() const noexcept { return rate_of(total, time); }

std::vector<CopyUse> copy_use(const MeasuredWork& work) {
  const Dag& dag = work.capture.dag;
  const std::map<std::pair<LaneId, Time>, Bytes> of_parts = bytes_of_parts(work);
  std::map<std::pair<Rank, std::string_view>, std::vector<Copy>> of_name;
  for (const Piece& piece : work.pieces) {
    if (piece.is_call) break;
    const TaskId task{piece.index};
    const bool copies = dag.kind(task) == TaskKind::kCopy || dag.kind(task) == TaskKind::kMemset;
    if (!work.measured || !copies || dag.lane(task).kind != LaneKind::kStream) continue;
    const auto parts = of_parts.find({dag.lane_id(task), piece.start});
    const Bytes bytes = dag.bytes(task) + (parts == of_parts.end() ? Bytes{} : parts->second);
    if (bytes > Bytes{}) of_name[{work.rank(piece), work.name(piece)}].push_back({piece.start, piece.length, bytes});
  }
  std::vector<CopyUse> made;
  made.reserve(of_name.size());
  for (const auto& [key, copies] : of_name) made.push_back(use_of(key.first, key.second, copies));
  std::stable_sort(made.begin(), made.end(), [](const CopyUse& a, const CopyUse& b) {
    return a.rank != b.rank ? a.rank < b.rank : a.total > b.total;
  });
  return made;
}

std::vector<RankTransport> transport_use(const TraceDetails& details) {
  std::vector<RankTransport> made;
  for (const auto& [rank, use] : details.transports) made.push_back({rank, use});
  std::stable_sort(made.begin(), made.end(), [](const RankTransport& a, const RankTransport& b) {
    return a.rank != b.rank ? a.rank < b.rank : time_of(a.use) > time_of(b.use);
  });
  return made;
}

}  // namespace stepsim::sim
