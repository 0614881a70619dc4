#include "ingest/stitch/host_device/sync_events.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "ingest/stitch/host_device/launch_order.h"

namespace stepsim::ingest {
namespace {

using StreamKey = std::pair<std::int32_t, std::int64_t>;  // device, number

/// A device-wide synchronisation waits for the last work of every stream. With more streams than this,
/// what it waited for is told from times instead.
constexpr std::size_t kManyStreams = 64;

}  // namespace

/// Resolves sync events against the launches of the streams they name.
class SyncEvents::Reader {
 public:
  Reader(const RankEvents& events, SyncEvents& out) : events_(events), out_(out) {
    for (std::uint32_t op = 0; op < events.ops.size(); ++op) {
      if (events.ops[op].call == kNoIndex) continue;
      const RankEvents::Stream& stream = events.streams[events.ops[op].stream];
      orders_[{stream.device, stream.number}].add(events.begin_of(events.ops[op].call), op);
    }
    for (auto& [key, order] : orders_) order.sort();
  }

  void read(std::uint32_t sync) {
    const EventDetail* const detail = events_.trace->detail_of(sync);
    const std::uint32_t call = events_.call_of(events_.trace->correlation[sync]);
    const std::string_view name = events_.name_of(sync);
    const std::uint32_t record =
        detail == nullptr || detail->wait_correlation < 0 ? kNoIndex : events_.call_of(detail->wait_correlation);
    const bool of_event = name == "Event Sync" || name == "Stream Wait Event";
    if (detail == nullptr || call == kNoIndex || (of_event && record == kNoIndex)) {
      ++out_.unresolved_;
      return;
    }
    const std::int32_t device = events_.trace->tracks[events_.trace->track[sync].index()].device;
    if (name == "Stream Wait Event") {
      read_stream_wait({device, detail->wait_stream}, {device, detail->stream}, events_.begin_of(record),
                       events_.begin_of(call));
    } else if (name == "Event Sync") {
      await(call, last_on({device, detail->wait_stream}, events_.begin_of(record)));
    } else if (name == "Stream Sync") {
      await(call, last_on({device, detail->stream}, events_.begin_of(call)));
    } else {
      await_device(call, device);
    }
  }

 private:
  [[nodiscard]] std::uint32_t last_on(StreamKey stream, Time before) const {
    const auto order = orders_.find(stream);
    return order == orders_.end() ? kNoIndex : order->second.last_before(before);
  }

  void await(std::uint32_t call, std::uint32_t op) {
    std::vector<std::uint32_t>& awaited = out_.awaited_[call];
    if (op != kNoIndex) awaited.push_back(op);
  }

  void await_device(std::uint32_t call, std::int32_t device) {
    if (orders_.size() > kManyStreams) return;
    out_.awaited_.try_emplace(call);
    for (const auto& [key, order] : orders_) {
      if (key.first == device || device < 0) await(call, order.last_before(events_.begin_of(call)));
    }
  }

  void read_stream_wait(StreamKey waited_for, StreamKey waiting, Time recorded, Time called) {
    const std::uint32_t before = last_on(waited_for, recorded);
    const auto order = orders_.find(waiting);
    const std::uint32_t after = order == orders_.end() ? kNoIndex : order->second.first_from(called);
    if (before == kNoIndex || after == kNoIndex || waited_for == waiting) return;
    if (events_.ops[before].end <= events_.ops[after].begin + kOverlapGrain)
      out_.stream_waits_.push_back({before, after});
  }

  const RankEvents& events_;
  SyncEvents& out_;
  std::map<StreamKey, LaunchOrder> orders_;
};

SyncEvents::SyncEvents(const RankEvents& events) {
  if (events.syncs.empty()) return;
  Reader reader(events, *this);
  for (const std::uint32_t sync : events.syncs) reader.read(sync);
}

const std::vector<std::uint32_t>* SyncEvents::awaited_by(std::uint32_t event) const noexcept {
  const auto at = awaited_.find(event);
  return at == awaited_.end() ? nullptr : &at->second;
}

}  // namespace stepsim::ingest
