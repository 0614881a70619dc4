#ifndef STEPSIM_INGEST_STITCH_HOST_DEVICE_HAND_OFF_H
#define STEPSIM_INGEST_STITCH_HOST_DEVICE_HAND_OFF_H

#include <cstdint>
#include <vector>

#include "ingest/stitch/host_device/host_thread.h"

namespace stepsim::ingest {

/// One host thread lets another go on: what `to` does from `to_time` on depends on what `from` had done by
/// `from_time`. Threads are indices into RankEvents::threads.
struct HandOff {
  std::uint32_t from = 0;
  Time from_time;
  std::uint32_t to = 0;
  Time to_time;
};

/// Finds where the main thread is silent because other threads work for it: a backward pass on the
/// autograd thread, or collectives on communication threads. Returns the hand-offs to those threads and
/// back, and enters the main thread's wait in each such silence. What lies before the other threads' first
/// start and after their last end stays the main thread's own work.
///
/// A thread explains a silence if the last of its work that ends there is a collective, or if it begins a
/// backward pass there: backward() returns when the pass has ended, however late its thread then wakes up. It
/// also does if its work fills at least a third of the span from its first start to its last end there, and that
/// span is at least half the silence. Short quiet between the calls of a thread that launches device work counts as
/// its work.
/// A host collective whose annotation was closed late is shortened first, to where its waiter went on.
/// Threads on which nothing depends are marked as background threads. O(segments log segments), on as many
/// threads of the machine as `threads_at_once` says.
[[nodiscard]] std::vector<HandOff> explain_silences(const RankEvents& events, std::vector<HostThread>& threads,
                                                    int threads_at_once);

/// What the trace itself says that one thread handed to another through a queue: the taking event depends on the
/// putting one, up to its end or to the moment at which it was taken. Cuts both threads there. O(events).
[[nodiscard]] std::vector<HandOff> recorded_hand_overs(const RankEvents& events, std::vector<HostThread>& threads);

/// Finds the framework call on another thread that submitted each host collective, such as
/// c10d::allreduce_ for gloo:all_reduce. Calls of one operation are served in the order in which they were
/// made. Cuts the calling thread where the submission happened, and adds the number of collectives whose
/// call was not recorded to `unmatched`. O(events log events).
[[nodiscard]] std::vector<HandOff> find_submissions(const RankEvents& events, std::vector<HostThread>& threads,
                                                    std::uint64_t& unmatched);

}  // namespace stepsim::ingest

#endif
