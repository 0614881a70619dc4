#ifndef STEPSIM_INGEST_STITCH_HOST_DEVICE_SYNC_EVENTS_H
#define STEPSIM_INGEST_STITCH_HOST_DEVICE_SYNC_EVENTS_H

#include <cstdint>
#include <map>
#include <vector>

#include "ingest/stitch/host_device/rank_events.h"
#include "ingest/stitch/host_device/stream_waits.h"

namespace stepsim::ingest {

/// What the cuda_sync events of a trace say: which device work each blocking call waited for, and which
/// streams waited for each other. Kineto writes these events with enable_cuda_sync_events=True:
///
/// * "Event Sync", "Stream Sync", "Context Sync": the call with the same correlation returned after
///   that work.
/// * "Stream Wait Event": what was launched later on `stream` waited for the work that was launched last
///   on `wait_on_stream` before the cudaEventRecord with the given correlation.
///
/// An event that names a stream, call or record as -1, or one that the trace lacks, says nothing and is
/// counted. Source: CudaSyncActivity in libkineto's CuptiActivity.cpp. O(events log events).
class SyncEvents {
 public:
  /// `events` is only read here.
  explicit SyncEvents(const RankEvents& events);

  /// The ops for which the runtime call `event` waited: on each stream concerned, the last one that was
  /// launched before. Null if no sync event belongs to the call; empty if there was nothing to wait for.
  [[nodiscard]] const std::vector<std::uint32_t>* awaited_by(std::uint32_t event) const noexcept;
  /// Waits between streams, in the order of their sync events.
  [[nodiscard]] const std::vector<StreamWait>& stream_waits() const noexcept { return stream_waits_; }
  /// The number of sync events that say nothing.
  [[nodiscard]] std::uint64_t unresolved() const noexcept { return unresolved_; }

 private:
  class Reader;

  std::map<std::uint32_t, std::vector<std::uint32_t>> awaited_;
  std::vector<StreamWait> stream_waits_;
  std::uint64_t unresolved_ = 0;
};

}  // namespace stepsim::ingest

#endif
