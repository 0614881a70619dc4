#include "ingest/stitch/sync_events.h"

#include <algorithm>
#include <utility>

#include "ingest/stitch/device_plan.h"

namespace stepsim::ingest {
namespace {

/// Launches of one stream in time order, to find what was last launched before an instant.
struct LaunchOrder {
  std::int32_t device = -1;
  std::int64_t number = -1;
  std::vector<std::pair<Time, std::uint32_t>> launched;  ///< (start of the call, op)

  std::uint32_t last_before(Time at) const {
    const auto after = std::lower_bound(launched.begin(), launched.end(), std::pair{at, std::uint32_t{0}});
    return after == launched.begin() ? kNoIndex : std::prev(after)->second;
  }
  std::uint32_t first_after(Time at) const {
    const auto after = std::lower_bound(launched.begin(), launched.end(), std::pair{at, std::uint32_t{0}});
    return after == launched.end() ? kNoIndex : after->second;
  }
};

std::vector<LaunchOrder> launch_orders(const RankEvents& events) {
  std::vector<LaunchOrder> orders;
  for (const RankEvents::Stream& stream : events.streams) {
    LaunchOrder order{stream.device, stream.number, {}};
    for (const std::uint32_t op : stream.ops) {
      if (events.ops[op].call != kNoIndex) order.launched.emplace_back(events.begin_of(events.ops[op].call), op);
    }
    std::sort(order.launched.begin(), order.launched.end());
    orders.push_back(std::move(order));
  }
  return orders;
}

}  // namespace

SyncEvents::SyncEvents(const RankEvents& events) {
  const std::vector<LaunchOrder> orders = launch_orders(events);
  for (const std::uint32_t sync : events.syncs) {
    const EventDetail* const detail = events.trace->detail_of(sync);
    const std::uint32_t call = events.call_of(events.trace->correlation[sync]);
    if (detail == nullptr || call == kNoIndex) {
      ++unresolved_;
      continue;
    }
    const std::string_view name = events.name_of(sync);
    const std::int32_t device = events.trace->tracks[events.trace->track[sync].index()].device;
    const std::uint32_t record = detail->wait_correlation < 0 ? kNoIndex : events.call_of(detail->wait_correlation);
    const bool of_event = name == "Event Sync" || name == "Stream Wait Event";
    if (of_event && record == kNoIndex) {
      ++unresolved_;
      continue;
    }
    std::vector<std::uint32_t> awaited;
    for (const LaunchOrder& order : orders) {
      if (device >= 0 && order.device >= 0 && order.device != device) continue;
      if (of_event && order.number != detail->wait_stream) continue;
      if (name == "Stream Sync" && order.number != detail->stream) continue;
      const std::uint32_t op = order.last_before(of_event ? events.begin_of(record) : events.begin_of(call));
      if (op != kNoIndex) awaited.push_back(op);
    }
    if (name != "Stream Wait Event") {
      auto& all = awaited_[call];
      all.insert(all.end(), awaited.begin(), awaited.end());
      continue;
    }
    for (const LaunchOrder& order : orders) {
      if (order.number != detail->stream || (device >= 0 && order.device >= 0 && order.device != device)) continue;
      const std::uint32_t after = order.first_after(events.begin_of(call));
      for (const std::uint32_t before : awaited) {
        const bool fits = after != kNoIndex && before != after && events.ops[before].end <= events.ops[after].begin + kOverlapGrain;
        if (fits && events.ops[before].stream != events.ops[after].stream) stream_waits_.push_back({before, after});
      }
    }
  }
}

const std::vector<std::uint32_t>* SyncEvents::awaited_by(std::uint32_t event) const noexcept {
  const auto at = awaited_.find(event);
  return at == awaited_.end() ? nullptr : &at->second;
}

}  // namespace stepsim::ingest
