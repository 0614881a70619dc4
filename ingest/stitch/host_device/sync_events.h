#ifndef STEPSIM_INGEST_STITCH_HOST_DEVICE_SYNC_EVENTS_H
#define STEPSIM_INGEST_STITCH_HOST_DEVICE_SYNC_EVENTS_H

#include <cstdint>
#include <map>
#include <vector>

#include "ingest/stitch/host_device/rank_events.h"
#include "ingest/stitch/host_device/stream_waits.h"

namespace stepsim::ingest {

/// What the cuda_sync events of a trace say: which device work each blocking call waited for,
/// and which streams waited for each other. A sync that names no stream or no record (-1)
/// says nothing and is counted.
///
/// Source: ../shared/formats/kineto-nsys-chakra-nccl-cupti.md 1.7.
class SyncEvents {
 public:
  explicit SyncEvents(const RankEvents& events);

  /// The work the runtime call `event` waited for: the last launched before it on each stream
  /// concerned. Null if no sync event belongs to the call; empty if there was nothing to wait for.
  [[nodiscard]] const std::vector<std::uint32_t>* awaited_by(std::uint32_t event) const noexcept;
  [[nodiscard]] const std::vector<StreamWait>& stream_waits() const noexcept { return stream_waits_; }
  [[nodiscard]] std::uint64_t unresolved() const noexcept { return unresolved_; }

 private:
  class Reader;

  std::map<std::uint32_t, std::vector<std::uint32_t>> awaited_;
  std::vector<StreamWait> stream_waits_;
  std::uint64_t unresolved_ = 0;
};

}  // namespace stepsim::ingest

#endif
