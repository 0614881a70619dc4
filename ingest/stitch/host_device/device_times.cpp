#include "ingest/stitch/host_device/device_times.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "ingest/stitch/host_device/device_wait_passes.h"
#include "model/base/sort_runs.h"

namespace stepsim::ingest {
namespace {

/// Clocks of a device and its host differ by far less than this, even while they are being adjusted.
constexpr Duration kClocksApart{1'000'000};
/// Work does not wait in a queue for this long: NCCL's watchdog ends a job after ten minutes.
constexpr Duration kLongestQueue = std::chrono::hours{1};
/// Work that begins this long after later work of its stream was done has a wrong begin. Traces that programs other
/// than profilers write contradict the order of the launches by less.
constexpr Duration kOutOfOrder = std::chrono::seconds{1};
constexpr std::ptrdiff_t kNextLaunches = 8;

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
        const Duration grain = std::max(kOverlapGrain, (op(open).end - op(open).begin) / 10);
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

  /// Only for a single device, because a wait is for the thread's current device, which is not recorded.
  void cut_at_waits() {
    const auto other_device = [&](const RankEvents::Stream& stream) {
      return stream.device != events_.streams.front().device;
    };
    if (std::any_of(events_.streams.begin(), events_.streams.end(), other_device)) return;
    const ByName wait_of(*events_.trace, wait_of_call);
    std::vector<std::pair<Time, Time>> waits;
    for (const auto& [correlation, call] : events_.calls) {
      if (wait_of(call) == CallWait::kDevice) waits.emplace_back(events_.begin_of(call), events_.end_of(call));
    }
    std::sort(waits.begin(), waits.end());
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

void mend_device_times(RankEvents& events) { DeviceTimes(events).run(); }

}  // namespace stepsim::ingest
