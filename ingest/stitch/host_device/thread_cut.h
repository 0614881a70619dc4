#ifndef STEPSIM_INGEST_STITCH_HOST_DEVICE_THREAD_CUT_H
#define STEPSIM_INGEST_STITCH_HOST_DEVICE_THREAD_CUT_H

#include <cstdint>
#include <vector>

#include "ingest/stitch/host_device/rank_events.h"

namespace stepsim::ingest {

/// A stretch of one host thread during which the innermost event stays the same.
struct Segment {
  enum class Kind : std::uint8_t {
    kWork,        ///< inside a framework operator
    kCall,        ///< inside a runtime or driver call
    kCollective,  ///< a host collective, whole: what is nested in it belongs to it
    kQuiet,       ///< under annotations only, or under nothing: Python work, or waiting
  };
  Time begin;
  Time end;
  std::uint32_t event = kNoIndex;  ///< the innermost event; kNoIndex under nothing
  Kind kind = Kind::kQuiet;
};

/// Cuts a thread into segments, without gaps, from the start of its first event to the end of the last
/// one to end. Where events overlap in part (a child that ends after its parent), the one that started
/// last is the innermost. No segment is empty. O(events).
[[nodiscard]] std::vector<Segment> cut_thread(const RankEvents& events, const RankEvents::Thread& thread);

}  // namespace stepsim::ingest

#endif
