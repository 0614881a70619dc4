#include "ingest/stitch/host_device/device_waits.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string_view>
#include <utility>

#include "ingest/stitch/host_device/device_wait_passes.h"
#include "ingest/stitch/host_device/rank_events.h"
#include "model/base/median.h"
#include "model/base/side_by_side.h"
#include "model/base/sort_runs.h"

namespace stepsim::ingest {
namespace {

constexpr std::size_t kMostRows = 16;
/// Upper limits of the usual delays: from a launch to the start of the work, and from the end of one op to the start of
/// the next on its stream.
constexpr Duration kLongestUsualLaunch{20'000};
constexpr Duration kLongestUsualTurn{5'000};
/// A call that copies a pageable buffer to the device may return up to this long before the copy ends.
constexpr Duration kStaged{100'000};

/// Puts an op on the first row of its stream on which the previous op has ended, and clips a small overlap. Returns the
/// row.
std::uint32_t choose_row(RankEvents& events, std::vector<std::uint32_t>& last_of_row, std::uint32_t index) {
  const DeviceOp& op = events.ops[index];
  for (std::uint32_t row = 0; row < last_of_row.size(); ++row) {
    DeviceOp& before = events.ops[last_of_row[row]];
    const Duration overlap = before.end - op.begin;
    const bool small = overlap <= std::max(kOverlapGrain, (before.end - before.begin) / kOverlapShare) &&
                       op.end >= before.end && op.begin > before.begin;
    if (overlap > Duration{} && !small) continue;
    before.end = std::min(before.end, op.begin);
    last_of_row[row] = index;
    return row;
  }
  if (last_of_row.size() < kMostRows) last_of_row.push_back(index);
  last_of_row.back() = index;
  return static_cast<std::uint32_t>(last_of_row.size() - 1);
}

void order_stream(RankEvents& events, const RankEvents::Stream& stream, StreamOrder& order) {
  std::vector<std::uint32_t> last_of_row;
  for (const std::uint32_t index : stream.ops) order.row[index] = choose_row(events, last_of_row, index);
  OpsByEnd by_end;
  by_end.reserve(stream.ops.size());
  for (const std::uint32_t index : stream.ops) by_end.emplace_back(events.ops[index].end, index);
  sort_runs(by_end);
  for (const std::uint32_t index : stream.ops) {
    const auto at = std::lower_bound(by_end.begin(), by_end.end(), std::pair{events.ops[index].begin, index});
    if (at != by_end.begin()) order.previous[index] = std::prev(at)->second;
  }
}

}  // namespace

StreamOrder order_streams(RankEvents& events) {
  StreamOrder order;
  order.row.resize(events.ops.size(), 0);
  order.previous.resize(events.ops.size(), kNoIndex);
  for (const RankEvents::Stream& stream : events.streams) order_stream(events, stream, order);
  return order;
}

bool is_awaited_copy(const RankEvents& events, const DeviceOp& op) {
  if (wait_of_call(events.name_of(op.call)) != CallWait::kOwnWork) return false;
  const Time call_begin = events.begin_of(op.call);
  const Time call_end = events.end_of(op.call);
  if (op.end <= call_begin || op.begin >= call_end) return false;
  const EventDetail* const copy = events.trace->detail_of(op.event);
  const bool pageable = copy != nullptr && (copy->from == MemoryKind::kPageable || copy->to == MemoryKind::kPageable);
  return op.end <= call_end + (pageable ? kStaged : Duration{});
}

void find_launch_times(RankEvents& events, const StreamOrder& order) {
  for (std::size_t i = 0; i < events.ops.size(); ++i) {
    DeviceOp& op = events.ops[i];
    if (op.call == kNoIndex) continue;
    const Time call_begin = events.begin_of(op.call);
    op.launched = std::min(events.end_of(op.call), std::max(op.begin, call_begin));
    const bool awaited = is_awaited_copy(events, op);
    const bool behind = order.previous[i] != kNoIndex && events.ops[order.previous[i]].end > call_begin;
    if (awaited && behind) op.launched = std::min(op.launched, call_begin + kCallOverhead);
  }
}

DeviceDelays usual_delays(const RankEvents& events, const StreamOrder& order) {
  std::vector<Duration> launches;
  std::vector<Duration> turns;
  for (std::size_t i = 0; i < events.ops.size(); ++i) {
    const DeviceOp& op = events.ops[i];
    if (op.call == kNoIndex) continue;
    const bool has_previous = order.previous[i] != kNoIndex;
    const Time free = has_previous ? events.ops[order.previous[i]].end : Time::min();
    if (op.launched > free && op.begin >= op.launched) launches.push_back(op.begin - op.launched);
    if (has_previous && free >= op.launched && op.begin >= free) turns.push_back(op.begin - free);
  }
  return {std::min(upper_median(launches), kLongestUsualLaunch), std::min(upper_median(turns), kLongestUsualTurn)};
}

OpsByEnd ops_by_end(const RankEvents& events) {
  OpsByEnd by_end;
  by_end.reserve(events.ops.size());
  for (std::uint32_t i = 0; i < events.ops.size(); ++i) by_end.emplace_back(events.ops[i].end, i);
  sort_runs(by_end);
  return by_end;
}

DeviceWaits find_device_waits(RankEvents& events, std::vector<HostThread>& threads, int threads_at_once) {
  DeviceWaits found;
  found.order = order_streams(events);
  find_launch_times(events, found.order);
  found.delays = usual_delays(events, found.order);
  for (const DeviceOp& op : events.ops) {
    if (op.call != kNoIndex && op.launched < events.end_of(op.call)) threads[op.thread].cuts.push_back(op.launched);
  }
  const OpsByEnd by_end = ops_by_end(events);
  const SyncEvents syncs = read_sync_events(events);
  const auto find_host_waits = [&] {
    found.calls = find_blocking_calls(events, by_end, syncs, threads);
    found.polls = find_polls(events, threads);
  };
  const auto find_stream_waits = [&] {
    found.streams = syncs.stream_waits;
    if (found.streams.empty()) found.streams = framework_waits(events);
  };
  side_by_side(threads_at_once, {find_host_waits, find_stream_waits});
  std::set<std::pair<std::uint32_t, std::uint32_t>> known;
  for (const StreamWait& wait : found.streams) known.emplace(wait.before, wait.after);
  for (const StreamWait& wait : data_waits(events)) {
    if (!known.contains({wait.before, wait.after})) found.streams.push_back(wait);
  }
  infer_stream_waits(events, by_end, found.order, found.delays, found.streams);
  found.unresolved_syncs = syncs.unresolved;
  return found;
}

}  // namespace stepsim::ingest
