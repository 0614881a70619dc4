#ifndef STEPSIM_INGEST_STITCH_HOST_DEVICE_THREAD_CUT_H
#define STEPSIM_INGEST_STITCH_HOST_DEVICE_THREAD_CUT_H

#include <cstdint>
#include <functional>

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
/// one to end, and calls `use` with each, in order of time. Where events overlap in part (a child that ends
/// after its parent), the one that started last is the innermost. No segment is empty, and a host collective
/// has one at most. O(events). Segments are cut again by each who needs them: kept, they would take more
/// memory than all else of a trace of host events.
void cut_thread(const RankEvents& events, const RankEvents::Thread& thread,
                const std::function<void(const Segment&)>& use);

}  // namespace stepsim::ingest

#endif
