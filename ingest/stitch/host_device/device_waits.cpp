#include "ingest/stitch/host_device/device_waits.h"

#include <cstdint>
#include <set>
#include <utility>

#include "ingest/stitch/host_device/data_waits.h"
#include "ingest/stitch/host_device/framework_waits.h"
#include "ingest/stitch/host_device/polling.h"
#include "ingest/stitch/host_device/sync_events.h"
#include "model/base/side_by_side.h"

namespace stepsim::ingest {

DeviceWaits find_device_waits(RankEvents& events, std::vector<HostThread>& threads, int threads_at_once) {
  DeviceWaits found;
  found.order = order_streams(events);
  find_launch_times(events, found.order);
  found.delays = usual_delays(events, found.order);
  for (const DeviceOp& op : events.ops) {
    if (op.call != kNoIndex && op.launched < events.end_of(op.call)) threads[op.thread].cuts.push_back(op.launched);
  }
  const SyncEvents syncs(events);
  const auto find_host_waits = [&] {
    found.calls = find_blocking_calls(events, syncs, threads);
    found.polls = find_polls(events, threads);
  };
  const auto find_stream_waits = [&] {
    found.streams = syncs.stream_waits();
    if (found.streams.empty()) found.streams = framework_waits(events);
  };
  side_by_side(threads_at_once, {find_host_waits, find_stream_waits});
  std::set<std::pair<std::uint32_t, std::uint32_t>> known;
  for (const StreamWait& wait : found.streams) known.emplace(wait.before, wait.after);
  for (const StreamWait& wait : data_waits(events)) {
    if (!known.contains({wait.before, wait.after})) found.streams.push_back(wait);
  }
  infer_stream_waits(events, found.order, found.delays, found.streams);
  found.unresolved_syncs = syncs.unresolved();
  return found;
}

}  // namespace stepsim::ingest
