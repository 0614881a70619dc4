#ifndef STEPSIM_INGEST_STITCH_HOST_DEVICE_HAND_OFF_H
#define STEPSIM_INGEST_STITCH_HOST_DEVICE_HAND_OFF_H

#include <cstdint>
#include <vector>

#include "ingest/stitch/host_device/host_thread.h"

namespace stepsim::ingest {

/// Work of one host thread that lets another go on: what `to` does from `to_time` depends on
/// what `from` had done by `from_time`. Threads are indices into RankEvents::threads.
struct HandOff {
  std::uint32_t from = 0;
  Time from_time;
  std::uint32_t to = 0;
  Time to_time;
};

/// Finds where the main thread is silent because another thread works for it, and back: a
/// backward pass on the autograd thread, collectives on communication threads that the main
/// thread waits for. In such a silence the main thread's wait is entered into its plan; what
/// lies before the other thread's start and after its end stays the main thread's own work.
///
/// A silence is explained by threads whose work fills at least a third of the span from their
/// first start to their last end in it, which spans at least half the silence; and by any
/// collective that ends in it. Threads that nothing depends on become background threads.
/// O(segments log segments).
[[nodiscard]] std::vector<HandOff> explain_silences(const RankEvents& events, std::vector<HostThread>& threads);

/// Finds for each host collective the framework call that submitted it on another thread
/// (c10d::allreduce_ before gloo:all_reduce): the calls of one kind are served in the order
/// they were made. Enters the cut at which the submission happened into the caller's plan.
/// Adds to `unmatched` the collectives whose call was not recorded.
[[nodiscard]] std::vector<HandOff> find_submissions(const RankEvents& events, std::vector<HostThread>& threads,
                                                    std::uint64_t& unmatched);

}  // namespace stepsim::ingest

#endif
