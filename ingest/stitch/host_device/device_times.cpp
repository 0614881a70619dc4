#include "ingest/stitch/host_device/device_times.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "ingest/stitch/host_device/device_wait_passes.h"
#include "model/base/sort_runs.h"

namespace stepsim::ingest {
namespace {

/// Work does not wait in a queue for this long: NCCL's watchdog ends a job after ten minutes.
constexpr Duration kLongestQueue = std::chrono::hours{1};
/// Work that begins this long after later work of its stream was done has a wrong begin. Traces that programs other
/// than profilers write contradict the order of the launches by less.
constexpr Duration kOutOfOrder = std::chrono::seconds{1};
constexpr std::ptrdiff_t kNextLaunches = 8;

/// Returns begin and end of the waits for the whole device, by begin. Empty for several devices, because a wait is for
/// the thread's current device, which is not recorded.
std::vector<std::pair<Time, Time>> waits_for_device(const RankEvents& events) {
  const auto other_device = [&](const RankEvents::Stream& stream) {
    return stream.device != events.streams.front().device;
  };
  if (std::any_of(events.streams.begin(), events.streams.end(), other_device)) return {};
  const ByName wait_of(*events.trace, wait_of_call);
  std::vector<std::pair<Time, Time>> waits;
  for (const auto& [correlation, call] : events.calls) {
    if (wait_of(call) == CallWait::kDevice) waits.emplace_back(events.begin_of(call), events.end_of(call));
  }
  std::sort(waits.begin(), waits.end());
  return waits;
}

/// How much later than allowed something happened, by the time when it would show.
using Lateness = std::pair<Time, Duration>;

/// Returns the median of the largest values in the three thirds of a list, if each is above kClocksApart; otherwise 0.
Duration seen_throughout(std::vector<Lateness> list) {
  constexpr std::size_t kThirds = 3;
  if (list.size() < kThirds) return {};
  std::sort(list.begin(), list.end());
  std::array<Duration, kThirds> largest{};
  for (std::size_t i = 0; i < list.size(); ++i) {
    Duration& of_third = largest[i * kThirds / list.size()];
    of_third = std::max(of_third, list[i].second);
  }
  std::sort(largest.begin(), largest.end());
  return largest.front() > kClocksApart ? largest[1] : Duration{};
}

/// Returns for each call that launched work of a device how long before it the last of that work began, because earlier
/// work may be that of another call with the same number. Empty if no work is early.
std::vector<Lateness> begins_before_launch(const RankEvents& events, std::int32_t device) {
  const auto is_of_device = [&](const DeviceOp& op) {
    return op.call != kNoIndex && events.streams[op.stream].device == device;
  };
  const auto earliness = [&](const DeviceOp& op) { return events.begin_of(op.call) - op.begin; };
  if (std::none_of(events.ops.begin(), events.ops.end(),
                   [&](const DeviceOp& op) { return is_of_device(op) && earliness(op) > kClocksApart; }))
    return {};
  std::map<std::uint32_t, Duration> of_call;
  for (const DeviceOp& op : events.ops) {
    if (!is_of_device(op)) continue;
    const auto [known, is_new] = of_call.try_emplace(op.call, earliness(op));
    if (!is_new) known->second = std::min(known->second, earliness(op));
  }
  std::vector<Lateness> list;
  list.reserve(of_call.size());
  for (const auto& [call, early] : of_call) list.emplace_back(events.begin_of(call), early);
  return list;
}

/// Returns for each wait for the device how long after it the work launched since the wait before it ended.
std::vector<Lateness> ends_after_waits(const RankEvents& events) {
  const std::vector<std::pair<Time, Time>> waits = waits_for_device(events);
  std::vector<Lateness> list;
  list.reserve(waits.size());
  for (const auto& [begin, end] : waits) list.emplace_back(end, Duration{});
  for (const DeviceOp& op : events.ops) {
    if (op.call == kNoIndex) continue;
    const auto wait = std::lower_bound(waits.begin(), waits.end(), std::pair{events.end_of(op.call), Time::min()});
    if (wait == waits.end()) continue;
    Lateness& of_wait = list[static_cast<std::size_t>(wait - waits.begin())];
    of_wait.second = std::max(of_wait.second, op.end - wait->second);
  }
  return list;
}

class DeviceTimes {
 public:
  explicit DeviceTimes(RankEvents& events) : events_(events), is_wrong_(events.ops.size(), false) {}

  void run() {
    find_early();
    std::vector<std::vector<std::uint32_t>> by_stream(events_.streams.size());
    for (std::uint32_t i = 0; i < events_.ops.size(); ++i) {
      if (op(i).call != kNoIndex && !is_wrong_[i]) by_stream[op(i).stream].push_back(i);
    }
    for (std::vector<std::uint32_t>& stream : by_stream) {
      cut_long(stream);
      find_late(std::move(stream));
    }
    cut_at_waits();
    leave_out();
  }

 private:
  [[nodiscard]] DeviceOp& op(std::uint32_t index) { return events_.ops[index]; }
  [[nodiscard]] Time launch_begin(std::uint32_t index) { return events_.begin_of(op(index).call); }
  [[nodiscard]] Time launch_end(std::uint32_t index) { return events_.end_of(op(index).call); }
  /// True if `later` was launched after the launch of `earlier` had returned.
  [[nodiscard]] bool in_order(std::uint32_t earlier, std::uint32_t later) {
    return launch_end(earlier) <= launch_begin(later);
  }

  [[nodiscard]] bool is_early(std::uint32_t index) {
    return op(index).call != kNoIndex && op(index).begin + kClocksApart < launch_begin(index);
  }

  void find_early() {
    std::map<std::uint32_t, bool> has_other_work;  // by call of early work: true if it launched later work, too
    for (std::uint32_t i = 0; i < events_.ops.size(); ++i) {
      if (is_early(i)) has_other_work.try_emplace(op(i).call, false);
    }
    if (has_other_work.empty()) return;
    for (std::uint32_t i = 0; i < events_.ops.size(); ++i) {
      const auto known = has_other_work.find(op(i).call);
      if (known != has_other_work.end() && !is_early(i)) known->second = true;
    }
    for (std::uint32_t i = 0; i < events_.ops.size(); ++i) {
      if (!is_early(i)) continue;
      if (has_other_work.at(op(i).call)) {
        op(i).call = kNoIndex;
        op(i).thread = kNoIndex;
      } else {
        is_wrong_[i] = true;
      }
    }
  }

  /// `stream` has the work of one stream in the order of its begins.
  void cut_long(const std::vector<std::uint32_t>& stream) {
    std::uint32_t open = kNoIndex;  // the work that ends last so far
    for (const std::uint32_t next : stream) {
      if (open != kNoIndex && op(next).begin < op(open).end && in_order(open, next)) {
        const Duration overlap = op(open).end - op(next).begin;
        const Duration grain = std::max(kOverlapGrain, (op(open).end - op(open).begin) / kOverlapShare);
        if (op(next).end + kDeviceClockError < op(open).end) {
          cut(open, op(next).begin);
        } else if (overlap > grain) {
          ++events_.overlapping;
        }
      }
      if (open == kNoIndex || op(next).end >= op(open).end) open = next;
    }
  }

  void find_late(std::vector<std::uint32_t> stream) {
    sort_runs(stream, [&](std::uint32_t a, std::uint32_t b) {
      return std::pair{launch_begin(a), a} < std::pair{launch_begin(b), b};
    });
    for (const std::uint32_t one : stream) {
      const auto next = std::lower_bound(stream.begin(), stream.end(), launch_end(one),
                                         [&](std::uint32_t index, Time at) { return launch_begin(index) < at; });
      const auto end = next + std::min(kNextLaunches, stream.end() - next);
      const auto ended_before =
          std::count_if(next, end, [&](std::uint32_t index) { return op(index).end + kOutOfOrder < op(one).begin; });
      if (2 * ended_before > end - next || op(one).begin - launch_end(one) > kLongestQueue) is_wrong_[one] = true;
    }
  }

  void cut_at_waits() {
    const std::vector<std::pair<Time, Time>> waits = waits_for_device(events_);
    for (std::uint32_t i = 0; i < events_.ops.size(); ++i) {
      if (op(i).call == kNoIndex || is_wrong_[i]) continue;
      const auto wait = std::lower_bound(waits.begin(), waits.end(), std::pair{launch_end(i), Time::min()});
      if (wait == waits.end() || op(i).begin >= wait->second || op(i).end <= wait->second + kClocksApart) continue;
      cut(i, wait->second);
    }
  }

  void cut(std::uint32_t index, Time end) {
    op(index).end = end;
    ++events_.cut_short;
  }

  void leave_out() {
    std::size_t kept = 0;
    for (std::uint32_t i = 0; i < events_.ops.size(); ++i) {
      if (is_wrong_[i]) {
        events_.mistimed.push_back(op(i).call);
      } else {
        events_.ops[kept++] = op(i);
      }
    }
    events_.ops.resize(kept);
    if (events_.cut_short > 0) sort_runs(events_.ops, runs_before);
  }

  RankEvents& events_;
  std::vector<bool> is_wrong_;
};

}  // namespace

std::map<std::int32_t, Duration> device_clock_offsets(const RankEvents& events) {
  std::map<std::int32_t, Duration> offsets;
  for (const RankEvents::Stream& stream : events.streams) offsets.try_emplace(stream.device);
  for (auto& [device, offset] : offsets) offset = -seen_throughout(begins_before_launch(events, device));
  if (offsets.size() == 1 && offsets.begin()->second == Duration{})
    offsets.begin()->second = seen_throughout(ends_after_waits(events));
  std::erase_if(offsets, [](const auto& one) { return one.second == Duration{}; });
  return offsets;
}

void mend_device_times(RankEvents& events) { DeviceTimes(events).run(); }

}  // namespace stepsim::ingest
